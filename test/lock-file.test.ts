import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';

interface LockedPackage {
  version: string;
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

describe('package-lock.json', () => {
  test('has a checksum for every package: what a registry serves is what was tried', () => {
    const without = locked.filter(([, { integrity }]) => !/^sha512-[A-Za-z0-9+/]{86}==$/.test(integrity ?? ''));
    expect(without.map(([place]) => place)).toEqual([]);
    expect(locked.length).toBeGreaterThan(50);
  });

  test('names no registry', () => {
    expect(locked.filter(([, { resolved }]) => resolved !== undefined)).toEqual([]);
  });

  test('has the versions that package.json asks for, each exactly', () => {
    const versions = new Map(locked.map(([place, { version }]) => [place, version]));
    for (const [name, wanted] of Object.entries({ ...manifest.dependencies, ...manifest.devDependencies }))
      expect([name, versions.get(`node_modules/${name}`)]).toEqual([name, wanted]);
  });

  test('lets no package run a program when it is installed, unless it is named', () => {
    const running = locked.filter(([, { hasInstallScript }]) => hasInstallScript).map(([place]) => place);
    expect(running).toEqual(Object.keys(manifest.allowScripts).map((name) => `node_modules/${name}`));
  });
});
