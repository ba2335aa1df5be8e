import { createHash } from 'node:crypto';

/** What the manifests of winget and Scoop say about a release. */
export interface WindowsRelease {
  version: string;
  summary: string;
  /** Unix seconds. */
  time: number;
  /** Web page of the release. */
  page: string;
  /** Address of the folder with the files. */
  downloads: string;
  /** All files of the release by their names. */
  files: Record<string, Uint8Array>;
}

const identifier = 'Hostler.Hostler';
const manifestVersion = '1.6.0';
/** Scoop replaces the folder of a version by the next one, and manages the programs in it: it gets the zip. */
const program = 'hostler.exe';
const note = 'Run "hostler service install" to start it now and at every login, and again after an update.';

/** Files by their path below the output folder, for the packages that are there: a folder for `winget install --manifest` and the winget repository, and a Scoop manifest. */
export function windowsManifests(release: WindowsRelease): Record<string, string> {
  const { version } = release;
  const folder = `winget/${identifier}/${version}`;
  const [installers, archives] = [filesOf(release, '-setup.exe'), filesOf(release, '.zip')];
  return {
    ...(installers.length > 0 && {
      [`${folder}/${identifier}.yaml`]: yaml('version', version, { DefaultLocale: 'en-US' }),
      [`${folder}/${identifier}.installer.yaml`]: yaml('installer', version, installer(release, installers)),
      [`${folder}/${identifier}.locale.en-US.yaml`]: yaml('defaultLocale', version, locale(release)),
    }),
    ...(archives.length > 0 && { 'scoop/hostler.json': `${JSON.stringify(scoop(release, archives), null, 2)}\n` }),
  };
}

type ReleaseFile = Record<'architecture' | 'url' | 'sha256', string>;

const filesOf = ({ version, files, downloads }: WindowsRelease, ending: string): ReleaseFile[] =>
  ['x64', 'arm64'].flatMap((architecture) => {
    const name = `hostler-${version}-windows-${architecture}${ending}`;
    const data = files[name];
    if (data === undefined) return [];
    const sha256 = createHash('sha256').update(data).digest('hex');
    return [{ architecture, url: `${downloads.replace(/\/$/, '')}/${name}`, sha256 }];
  });

const installer = (release: WindowsRelease, files: readonly ReleaseFile[]) => ({
  MinimumOSVersion: '10.0.17763.0',
  InstallerType: 'nullsoft',
  InstallModes: ['interactive', 'silent'],
  UpgradeBehavior: 'install',
  Commands: ['hostler'],
  ProductCode: 'Hostler',
  ReleaseDate: new Date(release.time * 1000).toISOString().slice(0, 10),
  Installers: files.flatMap(({ architecture, url, sha256 }) =>
    [
      { Scope: 'user' },
      { Scope: 'machine', ElevationRequirement: 'elevationRequired', InstallerSwitches: { Custom: '/AllUsers' } },
    ].map((scope) => ({
      Architecture: architecture,
      InstallerUrl: url,
      InstallerSha256: sha256.toUpperCase(),
      ...scope,
    })),
  ),
});

const locale = ({ summary, page }: WindowsRelease) => ({
  PackageLocale: 'en-US',
  Publisher: 'The Hostler authors',
  PackageName: 'Hostler',
  PackageUrl: page,
  License: 'MIT',
  ShortDescription: summary,
  Moniker: 'hostler',
});

const scoop = (release: WindowsRelease, archives: readonly ReleaseFile[]) => ({
  version: release.version,
  description: release.summary,
  homepage: release.page,
  license: 'MIT',
  notes: note,
  architecture: Object.fromEntries(
    archives.map(({ architecture, url, sha256 }) => [
      architecture === 'x64' ? '64bit' : architecture,
      { url, hash: sha256 },
    ]),
  ),
  bin: program,
});

type Plain = string | readonly Plain[] | { [key: string]: Plain };

/** Texts are quoted as in JSON, which YAML reads as well. */
function yaml(type: string, version: string, content: Record<string, Plain>): string {
  const whole = {
    PackageIdentifier: identifier,
    PackageVersion: version,
    ...content,
    ManifestType: type,
    ManifestVersion: manifestVersion,
  };
  const schema = `https://aka.ms/winget-manifest.${type}.${manifestVersion}.schema.json`;
  return `# yaml-language-server: $schema=${schema}\n${Object.entries(whole)
    .map(([key, value]) => `${key}: ${JSON.stringify(value)}\n`)
    .join('')}`;
}
