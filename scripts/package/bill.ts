import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';

/** A package that the built file contains. */
export interface Carried {
  name: string;
  version: string;
  licence: string;
  /** As in the lock file: `sha512-…`. */
  integrity: string | null;
  /** The licence in full; null: its package has none. */
  text: string | null;
}

interface Locked {
  version: string;
  license?: string;
  integrity?: string;
  dev?: boolean;
  optional?: boolean;
  /** A workspace of this repository. */
  link?: boolean;
}

/** From the lock file: everything but our own packages and the tools for building and testing, plus the icons, which are drawn into the dashboard. */
export function carriedPackages(root: string): Carried[] {
  const { packages } = JSON.parse(fs.readFileSync(path.join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, Locked>;
  };
  const drawn = new Set(['node_modules/lucide']);
  return Object.entries(packages)
    .filter(([place, { link }]) => place.startsWith('node_modules/') && !link)
    .filter(([place, { dev, optional }]) => (!dev && !optional) || drawn.has(place))
    .map(([place, { version, license, integrity }]) => ({
      name: place.slice(place.lastIndexOf('node_modules/') + 'node_modules/'.length),
      version,
      licence: license ?? 'unknown',
      integrity: integrity ?? null,
      text: licenceIn(path.join(root, place)),
    }))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function licenceIn(directory: string): string | null {
  if (!fs.existsSync(directory)) return null;
  const name = fs
    .readdirSync(directory)
    .sort()
    .find((each) => /^(licen[cs]e|copying)/i.test(each));
  return name === undefined ? null : fs.readFileSync(path.join(directory, name), 'utf8').trim();
}

/** CycloneDX. https://cyclonedx.org/docs/1.5/json/ */
export function softwareBill(version: string, carried: readonly Carried[], time: number): string {
  const components = carried.map(({ name, version: its, licence, integrity }) => ({
    type: name === 'bun' ? 'platform' : 'library',
    'bom-ref': `${name}@${its}`,
    name,
    version: its,
    licenses: [/[ ()]/.test(licence) ? { expression: licence } : { license: { id: licence } }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${its}`,
    ...(integrity === null
      ? {}
      : { hashes: [{ alg: 'SHA-512', content: Buffer.from(integrity.slice(7), 'base64').toString('hex') }] }),
  }));
  const identity = createHash('sha256')
    .update(JSON.stringify([version, components, time]))
    .digest('hex');
  const uuid = identity.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12}).*$/, '$1-$2-5$3-8$4-$5');
  const bill = {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    serialNumber: `urn:uuid:${uuid}`,
    version: 1,
    metadata: {
      timestamp: new Date(time * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': `hostler@${version}`,
        name: 'hostler',
        version,
        licenses: [{ license: { id: 'MIT' } }],
      },
    },
    components,
    dependencies: [{ ref: `hostler@${version}`, dependsOn: components.map((component) => component['bom-ref']) }],
  };
  return `${JSON.stringify(bill, null, 2)}\n`;
}

/** `own`: the text for the runtime, whose package contains no licence. */
export function thirdPartyNotices(carried: readonly Carried[], own: string): string {
  const rule = '-'.repeat(78);
  const parts = carried.map(
    ({ name, version, licence, text }) =>
      `${rule}\n${name} ${version} (${licence})\n${rule}\n\n${text ?? (name === 'bun' ? own.trim() : `Licence: ${licence}`)}\n`,
  );
  return `Hostler carries the following software in its program file. Each part is under its own licence.\n\n${parts.join('\n')}`;
}
