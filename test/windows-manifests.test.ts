import { expect, test } from 'bun:test';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import { YAML } from 'bun';
import { windowsManifests } from '../scripts/package/windows-manifests.ts';

const [zip, setup] = ['hostler-6.1.0-windows-x64.zip', 'hostler-6.1.0-windows-x64-setup.exe'];
const given = { [zip]: Buffer.from('a zip'), [setup]: Buffer.from('an installer') };
const sha256 = (name: string) =>
  createHash('sha256')
    .update(given[name] ?? '')
    .digest('hex');
const files = windowsManifests({
  version: '6.1.0',
  summary: 'a "service": of one line',
  time: 1_790_000_000,
  page: 'https://example.org/hostler',
  downloads: 'https://example.org/files/6.1.0/',
  files: given,
});
const parsed = (name: string) => YAML.parse(files[`winget/Hostler.Hostler/6.1.0/Hostler.Hostler${name}.yaml`] ?? '');

test('winget: three files of one version, with the address and the checksum of the installer, for one user and for all', () => {
  const common = { PackageIdentifier: 'Hostler.Hostler', PackageVersion: '6.1.0', ManifestVersion: '1.6.0' };
  expect(parsed('')).toEqual({ ...common, DefaultLocale: 'en-US', ManifestType: 'version' });
  expect(parsed('.installer')).toMatchObject({
    ...common,
    ManifestType: 'installer',
    ReleaseDate: '2026-09-21',
    InstallerType: 'nullsoft',
    Installers: [{ Scope: 'user' }, { Scope: 'machine', InstallerSwitches: { Custom: '/AllUsers' } }].map((scope) => ({
      Architecture: 'x64',
      InstallerUrl: `https://example.org/files/6.1.0/${setup}`,
      InstallerSha256: sha256(setup).toUpperCase(),
      ...scope,
    })),
  });
  expect(parsed('.locale.en-US')).toMatchObject({ ...common, ShortDescription: 'a "service": of one line' });
});

test('Scoop: the zip and its program', () => {
  expect(JSON.parse(files['scoop/hostler.json'] ?? '')).toMatchObject({
    version: '6.1.0',
    architecture: { '64bit': { url: `https://example.org/files/6.1.0/${zip}`, hash: sha256(zip) } },
    bin: 'hostler.exe',
  });
});

test.each([
  ['winget/version.1.6.0.json', parsed(''), 'PackageIdentifier'],
  ['winget/installer.1.6.0.json', parsed('.installer'), 'Installers'],
  ['winget/defaultLocale.1.6.0.json', parsed('.locale.en-US'), 'ShortDescription'],
  ['scoop/manifest.json', JSON.parse(files['scoop/hostler.json'] ?? ''), 'license'],
])('they are valid against the published schema %s', (name, manifest, required) => {
  const file = path.join(import.meta.dirname, 'fixtures', 'schemas', name);
  const check = new Ajv({ strict: false, validateFormats: false, allErrors: true }).compile(
    JSON.parse(fs.readFileSync(file, 'utf8')),
  );
  check(manifest);
  expect(check.errors ?? []).toEqual([]);
  expect(check({ ...manifest, [required]: undefined })).toBe(false);
});
