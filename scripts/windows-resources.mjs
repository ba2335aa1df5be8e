// What Windows shows of a program: its icon, name, version and manifest. Bun writes these only when it runs on Windows, so
// they are added to a copy of its runtime before that is built into the program.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { Data, NtExecutable, NtExecutableResource, Resource } from 'resedit';
import { root } from './installed.mjs';

const { ICON, ICON_GROUP, MANIFEST } = { ICON: 3, ICON_GROUP: 14, MANIFEST: 24 };
/** Neutral words in the English of the United States, as UTF-16. */
const language = { lang: 0x0409, codepage: 1200 };
/** src/host/windows/native/own-icon.ts loads it by this number. */
const iconId = 1;

/** A copy of a runtime for Windows with the name and the icon of Hostler. Returns its path. */
export function dressed(runtime, copy) {
  const program = NtExecutable.from(readFileSync(runtime), { ignoreCert: true });
  const resources = NtExecutableResource.from(program);
  resources.entries = resources.entries.filter(({ type }) => ![ICON, ICON_GROUP, MANIFEST].includes(type));
  addIcon(resources.entries);
  addVersion(resources.entries);
  addManifest(resources.entries);
  resources.outputResource(program);
  mkdirSync(path.dirname(copy), { recursive: true });
  writeFileSync(copy, Buffer.from(program.generate()), { mode: 0o755 });
  return copy;
}

function addIcon(entries) {
  const { icons } = Data.IconFile.from(readFileSync(path.join(root, 'web', 'icon.ico')));
  const pictures = icons.map(({ data }) => data);
  Resource.IconGroupEntry.replaceIconsForResource(entries, iconId, language.lang, pictures);
}

function addVersion(entries) {
  const { version, description, license } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  const [info] = Resource.VersionInfo.fromEntries(entries);
  if (info === undefined) throw new Error('The runtime says no version of its own');
  info.setFileVersion(version, language.lang);
  info.setProductVersion(version, language.lang);
  for (const known of info.getAllLanguagesForStringValues()) info.removeAllStringValues(known);
  info.setStringValues(language, {
    CompanyName: 'Hostler',
    FileDescription: 'Hostler',
    Comments: description,
    FileVersion: version,
    InternalName: 'hostler',
    LegalCopyright: `${license} licence`,
    OriginalFilename: 'hostler.exe',
    ProductName: 'Hostler',
    ProductVersion: version,
  });
  info.outputToResourceEntries(entries);
}

/**
 * Requests no rights beyond those of the user; long paths; true pixels on every display; no console window where none is inherited, since Windows 11 24H2
 * (https://learn.microsoft.com/windows/console/console-allocation-policy); and the real Windows version, which is reported only to programs that name it.
 * https://learn.microsoft.com/windows/win32/sbscs/application-manifests
 */
function addManifest(entries) {
  const text = `<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<assembly xmlns="urn:schemas-microsoft-com:asm.v1" manifestVersion="1.0">
  <trustInfo xmlns="urn:schemas-microsoft-com:asm.v3">
    <security><requestedPrivileges><requestedExecutionLevel level="asInvoker" uiAccess="false"/></requestedPrivileges></security>
  </trustInfo>
  <compatibility xmlns="urn:schemas-microsoft-com:compatibility.v1">
    <application><supportedOS Id="{8e0f7a12-bfb3-4fe8-b9a5-48fd50a15a9a}"/></application>
  </compatibility>
  <application xmlns="urn:schemas-microsoft-com:asm.v3">
    <windowsSettings>
      <dpiAwareness xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">PerMonitorV2</dpiAwareness>
      <longPathAware xmlns="http://schemas.microsoft.com/SMI/2016/WindowsSettings">true</longPathAware>
      <heapType xmlns="http://schemas.microsoft.com/SMI/2020/WindowsSettings">SegmentHeap</heapType>
      <consoleAllocationPolicy xmlns="http://schemas.microsoft.com/SMI/2024/WindowsSettings">detached</consoleAllocationPolicy>
    </windowsSettings>
  </application>
</assembly>
`;
  const bytes = new TextEncoder().encode(text);
  entries.push({ type: MANIFEST, id: 1, lang: language.lang, codepage: language.codepage, bin: bytes.buffer });
}
