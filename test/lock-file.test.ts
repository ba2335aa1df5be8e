import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';

interface LockedPackage {
  version?: string;
  /** A workspace: `resolved` is its folder. */
  link?: boolean;
  integrity?: string;
  resolved?: string;
  hasInstallScript?: boolean;
}

const root = path.resolve(import.meta.dirname, '..');
const read = (name: string) => JSON.parse(fs.readFileSync(path.join(root, name), 'utf8'));
const manifest: Record<'dependencies' | 'devDependencies', Record<string, string>> & {
  allowScripts: Record<string, boolean>;
} = read('package.json');
const locked: [string, LockedPackage][] = Object.entries<LockedPackage>(read('package-lock.json').packages).filter(
  ([place]) => place !== '',
);

const workspaces = fs
  .globSync('packages/*/package.json', { cwd: root })
  .map((file) => path.dirname(file))
  .sort();
/** From a registry; the others are workspaces and links to them. */
const registered = locked.filter(([place, { link }]) => link !== true && !workspaces.includes(place));

describe('package-lock.json', () => {
  test('has a checksum for every package of a registry', () => {
    const without = registered.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
    expect(without.map(([place]) => place)).toEqual([]);
    expect(registered.length).toBeGreaterThan(50);
  });

  test('links to every workspace and to nothing else', () => {
    const links = locked.filter(([, { link }]) => link === true).map(([place, { resolved }]) => [place, resolved]);
    expect(links).toEqual(workspaces.map((folder) => [`node_modules/@hostler/${path.basename(folder)}`, folder]));
  });

  test('names no registry', () => {
    expect(registered.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  test('has exactly the versions that package.json requires', () => {
    const places = new Map(locked);
    const versions = new Map(
      locked.map(([place, { version, link, resolved = '' }]) => [
        place,
        link === true ? places.get(resolved)?.version : version,
      ]),
    );
    for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      expect([name, versions.get(`node_modules/${name}`)]).toEqual([name, wanted]);
  });

  test('allows no install scripts except those listed', () => {
    const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place);
    expect(running).toEqual(Object.keys(manifest.allowScripts).map((name) => `node_modules/${name}`));
  });
});
