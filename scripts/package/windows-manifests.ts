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
  /** The archives by architecture. */
  archives: Partial<Record<'x64' | 'arm64', { name: string; data: Uint8Array }>>;
}

const identifier = 'Hostler.Hostler';
const manifestVersion = '1.6.0';
const programs = ['hostler.exe', 'hostlerw.exe'];
/** `service install` writes an absolute path, and the folder of a Scoop version is replaced by the next one. */
const note = 'Run "hostler service install" to start it now and at every login, and again after an update.';

/** Files by their path below the output folder: a folder for `winget install --manifest` and the winget repository, and a Scoop manifest. */
export function windowsManifests(release: WindowsRelease): Record<string, string> {
  const { version } = release;
  const folder = `winget/${identifier}/${version}`;
  return {
    [`${folder}/${identifier}.yaml`]: yaml('version', version, { DefaultLocale: 'en-US' }),
    [`${folder}/${identifier}.installer.yaml`]: yaml('installer', version, installer(release)),
    [`${folder}/${identifier}.locale.en-US.yaml`]: yaml('defaultLocale', version, locale(release)),
    'scoop/hostler.json': `${JSON.stringify(scoop(release), null, 2)}\n`,
  };
}

const filesOf = ({ archives, downloads }: WindowsRelease) =>
  Object.entries(archives).map(([architecture, { name, data }]) => ({
    architecture,
    url: `${downloads.replace(/\/$/, '')}/${name}`,
    sha256: createHash('sha256').update(data).digest('hex'),
  }));

const installer = (release: WindowsRelease) => ({
  InstallerType: 'zip',
  NestedInstallerType: 'portable',
  NestedInstallerFiles: programs.map((RelativeFilePath) => ({
    RelativeFilePath,
    PortableCommandAlias: RelativeFilePath.replace('.exe', ''),
  })),
  Commands: ['hostler'],
  ReleaseDate: new Date(release.time * 1000).toISOString().slice(0, 10),
  Installers: filesOf(release).map(({ architecture, url, sha256 }) => ({
    Architecture: architecture,
    InstallerUrl: url,
    InstallerSha256: sha256.toUpperCase(),
  })),
});

const locale = ({ summary, page }: WindowsRelease) => ({
  PackageLocale: 'en-US',
  Publisher: 'The Hostler authors',
  PackageName: 'Hostler',
  PackageUrl: page,
  License: 'MIT',
  ShortDescription: summary,
  Moniker: 'hostler',
  InstallationNotes: note,
});

const scoop = (release: WindowsRelease) => ({
  version: release.version,
  description: release.summary,
  homepage: release.page,
  license: 'MIT',
  notes: note,
  architecture: Object.fromEntries(
    filesOf(release).map(({ architecture, url, sha256 }) => [
      architecture === 'x64' ? '64bit' : architecture,
      { url, hash: sha256 },
    ]),
  ),
  bin: programs,
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
