import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { type InstallerParts, inScratch, numericVersion, runTool } from './installer.ts';

/** The same for all versions, so that a newer one replaces an older one. */
const upgradeCode = guid('Hostler');

/**
 * For administrators: installs for all users, without dialogs. Made by wixl, which knows neither ARM, conditions of components, version numbers
 * of files nor PATH, and orders other actions differently each time: these are set in its tables by msibuild (both of msitools).
 */
export function windowsMsi(parts: InstallerParts): Uint8Array {
  const { contents, architecture, entries } = parts;
  return inScratch(entries, contents, (scratch) => {
    fs.writeFileSync(path.join(scratch, 'hostler.wxs'), source(parts));
    runTool('wixl', 'wixl', ['--arch', 'x64', '--output', 'hostler.msi', 'hostler.wxs'], scratch, contents.time);
    const queries = changes(numericVersion(contents.version)).flatMap((query) => ['-q', query]);
    const template = `${architecture === 'arm64' ? 'Arm64' : 'x64'};1033`;
    const packageCode = guid(`${contents.version} ${architecture} ${contents.time}`);
    const about = ['-s', 'Hostler', 'The Hostler authors', template, `{${packageCode}}`];
    runTool('msibuild', 'msitools', ['hostler.msi', ...queries, ...about], scratch, contents.time);
    return withTime(fs.readFileSync(path.join(scratch, 'hostler.msi')), contents.time);
  });
}

function source({ contents: { version }, architecture, entries }: InstallerParts): string {
  const product = guid(`${version} ${architecture}`);
  const names = entries.map(({ path: name }) => name);
  return `<?xml version="1.0" encoding="utf-8"?>
<Wix xmlns="http://schemas.microsoft.com/wix/2006/wi">
<Product Id="${product}" Name="Hostler" Version="${numericVersion(version)}" Manufacturer="The Hostler authors" Language="1033" UpgradeCode="${upgradeCode}">
<Package InstallerVersion="500" Compressed="yes" InstallScope="perMachine" Description="Hostler ${version}"/>
<MajorUpgrade DowngradeErrorMessage="A newer version of Hostler is installed."/>
<Media Id="1" Cabinet="hostler.cab" EmbedCab="yes"/>
<Icon Id="hostler.ico" SourceFile="hostler.ico"/>
<Property Id="ARPPRODUCTICON" Value="hostler.ico"/>
<Directory Id="TARGETDIR" Name="SourceDir">
<Directory Id="ProgramFiles64Folder"><Directory Id="InstallDir" Name="Hostler">
${folderContent(names, '')}
</Directory></Directory>
<Directory Id="ProgramMenuFolder">
<Component Id="menu" Guid="${guid('menu')}" Win64="yes">
<Shortcut Id="link" Name="Hostler" Target="[InstallDir]hostler.exe" WorkingDirectory="InstallDir"/>
<RegistryValue Root="HKLM" Key="Software\\Hostler" Name="InstallLocation" Type="string" Value="[InstallDir]" KeyPath="yes"/>
</Component>
<Component Id="autostart" Guid="${guid('autostart')}" Win64="yes">
<RegistryValue Root="HKLM" Key="Software\\Microsoft\\Windows\\CurrentVersion\\Run" Name="Hostler" Type="string" Value="&quot;[InstallDir]hostler.exe&quot; serve --background" KeyPath="yes"/>
</Component>
</Directory>
</Directory>
<Feature Id="all" Level="1">
${[...names.map(componentOf), 'menu', 'autostart'].map((id) => `<ComponentRef Id="${id}"/>`).join('\n')}
</Feature>
<CustomAction Id="writeSettings" FileKey="${fileOf('hostler.exe')}" ExeCommand="settings administrator --port &quot;[PORT]&quot; --settings &quot;[SETTINGS]&quot; --locks &quot;[LOCKS]&quot;" Execute="deferred" Impersonate="no" Return="check"/>
</Product>
</Wix>
`;
}

/** The files of a folder and the folders in it. */
function folderContent(names: readonly string[], folder: string): string {
  const inside = names.filter((name) => name.startsWith(folder));
  const files = inside.filter((name) => !name.slice(folder.length).includes('/'));
  const folders = [
    ...new Set(
      inside.filter((name) => !files.includes(name)).map((name) => name.slice(folder.length).split('/')[0] ?? ''),
    ),
  ];
  return [
    ...files.map(
      (name) =>
        `<Component Id="${componentOf(name)}" Guid="${guid(name)}" Win64="yes"><File Id="${fileOf(name)}" Name="${name.slice(folder.length)}" Source="tree/${name}" KeyPath="yes"/></Component>`,
    ),
    ...folders.map(
      (name) =>
        `<Directory Id="d${idOf(`${folder}${name}`)}" Name="${name}">\n${folderContent(names, `${folder}${name}/`)}\n</Directory>`,
    ),
  ].join('\n');
}

const changes = (version: string) => [
  "UPDATE `Component` SET `Condition` = 'AUTOSTART = \"1\" OR REMOVE' WHERE `Component` = 'autostart'",
  `UPDATE \`File\` SET \`Version\` = '${version}.0' WHERE \`File\` = '${fileOf('hostler.exe')}'`,
  // The old version is removed before the files of the new one are written; a failure restores it.
  "UPDATE `InstallExecuteSequence` SET `Sequence` = 1501 WHERE `Action` = 'RemoveExistingProducts'",
  // Not PORT, SETTINGS, LOCKS and AUTOSTART, so that they count from an administrator only. In a fixed order.
  "UPDATE `Property` SET `Value` = 'WIX_DOWNGRADE_DETECTED;WIX_UPGRADE_DETECTED' WHERE `Property` = 'SecureCustomProperties'",
  // A program given by its command line (34) whose result does not matter (64).
  "INSERT INTO `CustomAction` (`Action`, `Type`, `Source`, `Target`) VALUES ('endPrograms', 98, 'TARGETDIR', '[System64Folder]taskkill.exe /f /im hostler.exe')",
  "INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) VALUES ('endPrograms', 'Installed OR WIX_UPGRADE_DETECTED', 1201)",
  // Not at a repair, which any user may start. An update installs anew.
  "INSERT INTO `InstallExecuteSequence` (`Action`, `Condition`, `Sequence`) VALUES ('writeSettings', 'NOT Installed AND (PORT OR SETTINGS OR LOCKS)', 6550)",
  'CREATE TABLE `Environment` (`Environment` CHAR(72) NOT NULL, `Name` CHAR(255) NOT NULL LOCALIZABLE, `Value` CHAR(255) LOCALIZABLE, `Component_` CHAR(72) NOT NULL PRIMARY KEY `Environment`)',
  // Of the machine, set and removed with the component, at the end.
  "INSERT INTO `Environment` (`Environment`, `Name`, `Value`, `Component_`) VALUES ('path', '=-*PATH', '[~];[InstallDir]', 'menu')",
  "INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('RemoveEnvironmentStrings', 3300)",
  "INSERT INTO `InstallExecuteSequence` (`Action`, `Sequence`) VALUES ('WriteEnvironmentStrings', 5200)",
];

const idOf = (name: string) => createHash('sha256').update(name).digest('hex').slice(0, 16);
const componentOf = (name: string) => `c${idOf(name)}`;
const fileOf = (name: string) => `f${idOf(name)}`;

/** The same identifier for the same name, in the form of a random one. */
function guid(name: string): string {
  const digits = createHash('sha256').update(`hostler msi ${name}`).digest('hex').toUpperCase();
  return [
    digits.slice(0, 8),
    digits.slice(8, 12),
    `4${digits.slice(13, 16)}`,
    `8${digits.slice(17, 20)}`,
    digits.slice(20, 32),
  ].join('-');
}

/** The summary of an MSI has the times of its creation (VT_FILETIME); with the time of the release two builds are the same bytes. */
function withTime(msi: Buffer, time: number): Buffer {
  const toFileTime = (seconds: number) => BigInt(Math.round(seconds) + 11_644_473_600) * 10_000_000n;
  const [now, day] = [toFileTime(Date.now() / 1000), toFileTime(86_400) - toFileTime(0)];
  const type = Buffer.from([0x40, 0, 0, 0]);
  for (let at = msi.indexOf(type); at >= 0; at = msi.indexOf(type, at + 4)) {
    if (at + 12 > msi.length) break;
    const age = now - msi.readBigUInt64LE(at + 4);
    if (age > -day && age < day) msi.writeBigUInt64LE(toFileTime(time), at + 4);
  }
  return msi;
}
