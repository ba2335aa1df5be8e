import fs from 'node:fs';
import path from 'node:path';
import { unitName } from './unit.ts';

/** The search path of systemd. https://www.freedesktop.org/software/systemd/man/latest/systemd.unit.html#Unit%20File%20Load%20Path */
export interface UnitPlaces {
  own: string;
  /** Where it may be enabled: by the user, or by the administrator for all users. */
  configured: string[];
  vendor: string[];
  target: string;
}

export function unitPlaces(kind: 'user' | 'system', configHome: string, root: string): UnitPlaces {
  const etc = path.join(root, 'etc/systemd', kind);
  const own = kind === 'system' ? etc : path.join(configHome, 'systemd/user');
  return {
    own,
    configured: [...new Set([own, etc, path.join(root, 'run/systemd', kind)])],
    vendor: ['usr/local/lib', 'usr/lib', 'lib'].map((library) => path.join(root, library, 'systemd', kind)),
    target: kind === 'system' ? 'multi-user.target' : 'default.target',
  };
}

/** The link that makes systemd start it; null: it is not enabled. */
export function findEnabled({ configured, target }: UnitPlaces): string | null {
  const links = configured.map((directory) => path.join(directory, `${target}.wants`, unitName));
  return links.find((link) => fs.lstatSync(link, { throwIfNoEntry: false }) !== undefined) ?? null;
}

export function vendorUnit({ vendor }: UnitPlaces): { file: string; text: string } | null {
  const file = vendor.map((directory) => path.join(directory, unitName)).find((candidate) => fs.existsSync(candidate));
  return file === undefined ? null : { file, text: fs.readFileSync(file, 'utf8') };
}
