// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type InstallerParts, windowsInstaller } from '../../../scripts/package/installer.ts';
import { windowsMsi } from '../../../scripts/package/msi.ts';
import { file } from '../../../scripts/package/tree.ts';
import { findProgram, needs } from '../harness/parts.ts';
import { root, until } from '../harness/service.ts';
import { needsWine, startWine } from '../harness/wine.ts';

setDefaultTimeout(400_000);

const build = path.join(root, 'dist', 'hostler-windows-x64');
/** A page that the next version no longer has. */
const page = (version: string) => file(`docs/only-in-${version}.md`, version);
const parts = (version: string, directory = build): InstallerParts => ({
  contents: { version, time: 1_700_000_000, root, carried: [] },
  architecture: 'x64',
  entries: [
    file('hostler.exe', fs.readFileSync(path.join(directory, 'hostler.exe'))),
    file('LICENSE.txt', 'MIT'),
    page(version),
  ],
  signing: null,
  packing: 'none',
});

/** Registry and files, and their differences from those at the start. Every uninstaller of NSIS has Windows delete its own copy at the next start. */
const shellFunctions = `
snapshot() {
  for key in HKCU HKLM\\\\Software HKLM\\\\System\\\\CurrentControlSet\\\\Control; do
    wine reg export $key 'C:\\snapshot.reg' /y > /dev/null 2>&1
    iconv -f UTF-16 -t UTF-8 /w/pfx/drive_c/snapshot.reg | tr -d '\\r' | sed '/^"PendingFileRenameOperations"=/,/[^\\\\]$/d'
  done > /tmp/registry.$1
  find /w/pfx/drive_c ! -path '*/setup*' ! -path '*/Temp/*' ! -path '*/temp/*' ! -name snapshot.reg | sort > /tmp/files.$1
}
changes() { diff /tmp/registry.start /tmp/registry.$1; diff /tmp/files.start /tmp/files.$1; }
section() { echo "== $1"; }
gone() { n=0; while [ -e "$1" ] && [ $n -lt 300 ]; do sleep 0.2; n=$((n+1)); done; }
`;
const programs = '/w/pfx/drive_c/users/root/AppData/Local/Programs/Hostler';
/** What differs by Wine's own doing: its menu, its display, a counter, and keys and a folder that are empty, or were. */
const ofWine =
  /applications-merged|share\\\\applications|^[<>] \[HKEY_\w+\\Software\\(Classes\]|Classes\\Installer|Microsoft\\Windows\\CurrentVersion\\(Installer|Run\]|Uninstall\]))|windows\/Installer$|^[<>] ?$|Control\\Video\\|"Driver(Error|DateData)"|^[<>] @=dword:|^---$|^\d|^rc 0$/;
const traces = (text: string) => text.split('\n').filter((line) => line !== '' && !ofWine.test(line));

/** Runs a script in a Windows of its own; its output by sections. */
async function inWindows(folder: string, script: string): Promise<Record<string, string>> {
  const mounts = ['mkdir -p "$0/w/pfx/drive_c/setup"', `mount --bind ${folder} "$0/w/pfx/drive_c/setup"`];
  const wine = startWine(`exec 2>&1; cd /w/pfx/drive_c/setup\n${shellFunctions}\n${script}\necho "== over"`, {
    mounts: [...mounts, 'ip link set lo up'],
    environment: { SERVICE_HOST: '127.0.0.1' },
    alone: true,
  });
  try {
    await until(() => (wine.output().includes('== over') || !wine.isRunning() ? true : null), 380_000);
    const sections = wine.output().split(/^== /m).slice(1);
    return Object.fromEntries(sections.map((text) => [text.split('\n')[0], text.slice(text.indexOf('\n') + 1)]));
  } finally {
    await wine.stop();
  }
}

describe.skipIf(!needs('makensis') || process.arch !== 'x64' || !needsWine())('the installer', () => {
  let folder: string;
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-setup-'));
    for (const version of ['6.0.0', '6.0.1'])
      fs.writeFileSync(path.join(folder, `${version}.exe`), windowsInstaller(parts(version)));
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));

  test('installs, updates a running service and keeps its settings, and leaves nothing', async () => {
    const seen = await inWindows(
      folder,
      `snapshot start
      section install; wine 6.0.0.exe /S; echo "rc $?"; snapshot installed; changes installed
      section running; wine ${programs}/hostler.exe service status
      section settings; wine ${programs}/hostler.exe settings set logLevel DEBUG
      wine ${programs}/hostler.exe token create --name kept --scope read
      section update; wine 6.0.1.exe /S; echo "rc $?"; ls ${programs}/docs
      section after; wine ${programs}/hostler.exe service status; wine ${programs}/hostler.exe settings get logLevel
      wine ${programs}/hostler.exe token list; wine reg query 'HKCU\\Software\\Microsoft\\Windows\\CurrentVersion\\Uninstall\\Hostler'
      section remove; wine ${programs}/uninstall.exe /S; gone ${programs}; snapshot removed; changes removed
      section again; wine 6.0.1.exe /S /NoAutostart '/D=C:\\Tools\\Hostler'; echo "rc $?"; ls '/w/pfx/drive_c/Tools/Hostler'
      wine 'C:\\Tools\\Hostler\\hostler.exe' service status
      section purge; wine 'C:\\Tools\\Hostler\\uninstall.exe' /S /Purge; gone '/w/pfx/drive_c/Tools/Hostler'; rmdir '/w/pfx/drive_c/Tools'
      snapshot purged; changes purged`,
    );
    expect(seen.install).toContain('rc 0');
    for (const text of [
      'hostler.exe',
      'Start Menu/Programs/Hostler.lnk',
      '"DisplayVersion"="6.0.0"',
      '"Path"=',
      'uninstall.exe',
    ])
      expect(seen.install).toContain(text);
    expect(seen.running).toContain('Hostler is started when you log in');
    const pid = (text = '') => /running: process (\d+) on http/.exec(text)?.[1];
    expect(pid(seen.running)).toBeDefined();
    expect(seen.update).toContain('rc 0');
    expect(seen.update).toContain('only-in-6.0.1.md');
    expect(seen.update).not.toContain('only-in-6.0.0.md');
    expect(pid(seen.after)).toBeDefined();
    expect(pid(seen.after)).not.toBe(pid(seen.running));
    for (const text of ['DEBUG', 'kept', '6.0.1', 'is started when you log in']) expect(seen.after).toContain(text);
    const left = traces(seen.remove ?? '');
    expect(left.filter((line) => !/AppData\/Local\/(hostler(\/|$)|Programs$)/.test(line))).toEqual([]);
    expect(left.some((line) => line.endsWith('/hostler/settings.json'))).toBe(true);
    expect(seen.again).toContain('hostler.exe');
    expect(seen.again).toContain('not started when you log in');
    expect(seen.again).toContain('Hostler is not running');
    expect(traces(seen.purge ?? '').filter((line) => !line.endsWith('AppData/Local/Programs'))).toEqual([]);
  });

  test('installs for all users', async () => {
    const all = '/w/pfx/drive_c/Program Files/Hostler';
    const seen = await inWindows(
      folder,
      `snapshot start
      section install; wine 6.0.0.exe /S /AllUsers /NoAutostart; echo "rc $?"; snapshot installed; changes installed
      section remove; wine '${all}/uninstall.exe' /S /Purge; gone '${all}'; snapshot removed; changes removed
      section elsewhere; wine 6.0.0.exe /S /AllUsers '/D=C:\\ProgramData\\..\\Tools\\Hostler'; echo "rc $?"; ls /w/pfx/drive_c`,
    );
    // Where every user may write, others would start what one of them put there.
    expect(seen.elsewhere).toContain('rc 2');
    expect(seen.elsewhere).not.toContain('Tools');
    expect(seen.install).toContain('rc 0');
    for (const text of [
      `${all}/hostler.exe`,
      'ProgramData/Microsoft/Windows/Start Menu/Programs/Hostler.lnk',
      'LOCAL_MACHINE',
    ])
      expect(seen.install).toContain(text);
    expect(traces(seen.remove ?? '')).toEqual([]);
  });
});

describe.skipIf(!needs('wixl', 'msibuild', 'msiinfo'))('the MSI', () => {
  let folder: string;
  const made = (name: string) => path.join(folder, name);
  beforeAll(() => {
    folder = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-msi-'));
    fs.writeFileSync(made('hostler.exe'), 'a program');
  });
  afterAll(() => fs.rmSync(folder, { recursive: true, force: true }));
  const table = (msi: string, name: string) => {
    const { status, stdout, stderr } = spawnSync(findProgram('msiinfo') ?? '', ['export', msi, name], {
      encoding: 'utf8',
    });
    if (status !== 0) throw new Error(stderr);
    return stdout
      .split(/\r?\n/)
      .filter(Boolean)
      .slice(3)
      .map((line) => line.split('\t'));
  };

  test('its tables say what is installed, replaced, and run; two builds are the same bytes', () => {
    const [one, arm] = [
      parts('6.1.2-rc.1', folder),
      { ...parts('6.1.2-rc.1', folder), architecture: 'arm64' as const },
    ];
    fs.writeFileSync(made('a.msi'), windowsMsi(one));
    fs.writeFileSync(made('arm.msi'), windowsMsi(arm));
    expect(Buffer.compare(windowsMsi(one), fs.readFileSync(made('a.msi')))).toBe(0);
    const properties = Object.fromEntries(table(made('a.msi'), 'Property'));
    expect(properties).toMatchObject({ ALLUSERS: '1', ProductVersion: '6.1.2', ProductName: 'Hostler' });
    // Windows ignores every other public property of a user who is no administrator: at a repair, and where the product is advertised.
    expect(properties.SecureCustomProperties).toBe('WIX_DOWNGRADE_DETECTED;WIX_UPGRADE_DETECTED');
    const directories = table(made('a.msi'), 'Directory').map(([name = '']) => name);
    expect(directories.filter((name) => name === name.toUpperCase())).toEqual(['TARGETDIR']);
    const next = windowsMsi(parts('6.1.3', folder));
    fs.writeFileSync(made('next.msi'), next);
    const later = Object.fromEntries(table(made('next.msi'), 'Property'));
    expect(later.UpgradeCode).toBe(properties.UpgradeCode);
    expect(later.ProductCode).not.toBe(properties.ProductCode);
    const files = table(made('a.msi'), 'File');
    expect(files.map(([, , name, , version]) => [name, version])).toEqual([
      ['hostler.exe', '6.1.2.0'],
      ['LICENSE.txt', ''],
      ['only-in-6.1.2-rc.1.md', ''],
    ]);
    const sequence = Object.fromEntries(
      table(made('a.msi'), 'InstallExecuteSequence').map(([action, , at]) => [action, Number(at)]),
    );
    const steps = [
      'FindRelatedProducts',
      'endPrograms',
      'InstallValidate',
      'RemoveExistingProducts',
      'InstallFiles',
      'writeSettings',
      'InstallFinalize',
    ];
    const numbers = steps.map((step) => sequence[step] ?? 0);
    expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
    // Not at a repair, which any user may start with properties of their choice.
    const conditions = table(made('a.msi'), 'InstallExecuteSequence').map(([action, condition]) => [action, condition]);
    expect(conditions).toContainEqual(['writeSettings', 'NOT Installed AND (PORT OR SETTINGS OR LOCKS)']);
    const actions = Object.fromEntries(
      table(made('a.msi'), 'CustomAction').map(([name, type, , target]) => [name, [type, target]]),
    );
    // Deferred, as the system, and its failure undoes the installation: 18 + 1024 + 2048.
    expect(actions.writeSettings).toEqual([
      '3090',
      'settings administrator --port "[PORT]" --settings "[SETTINGS]" --locks "[LOCKS]"',
    ]);
    expect(table(made('a.msi'), 'Environment')[0]).toEqual(['path', '=-*PATH', '[~];[InstallDir]', 'menu']);
    const summary = (name: string) => spawnSync('msiinfo', ['suminfo', made(name)], { encoding: 'utf8' }).stdout;
    expect(summary('a.msi')).toContain('Template: x64;1033');
    expect(summary('arm.msi')).toContain('Template: Arm64;1033');
  });

  test.skipIf(process.arch !== 'x64' || !needsWine())(
    'is installed, updated over a running service, and removed',
    async () => {
      for (const version of ['6.0.0', '6.0.1']) fs.writeFileSync(made(`${version}.msi`), windowsMsi(parts(version)));
      fs.writeFileSync(made('chosen.json'), '{ "logLevel": "WARN" }');
      fs.writeFileSync(made('locks.json'), '{ "mcp": { "mode": "read_only" } }');
      const all = '/w/pfx/drive_c/Program Files/Hostler';
      const chosen = "PORT=9175 'SETTINGS=C:\\setup\\chosen.json' 'LOCKS=C:\\setup\\locks.json'";
      const seen = await inWindows(
        folder,
        `snapshot start
      section install; wine msiexec /i 6.0.0.msi /qn AUTOSTART=1; echo "rc $?"; snapshot installed; changes installed
      section serve; (wine '${all}/hostler.exe' serve --background > /dev/null 2>&1 &); n=0
      while [ $n -lt 60 ] && ! wine '${all}/hostler.exe' service status | grep 'running: process'; do n=$((n+1)); sleep 0.2; done
      section update; wine msiexec /i 6.0.1.msi /qn AUTOSTART=1; echo "rc $?"; ls '${all}/docs'
      wine '${all}/hostler.exe' service status
      section remove; wine msiexec /x 6.0.1.msi /qn; echo "rc $?"; snapshot removed; changes removed
      section path; wine reg query 'HKLM\\System\\CurrentControlSet\\Control\\Session Manager\\Environment' /v PATH
      section settings; wine msiexec /i 6.0.0.msi /qn ${chosen}; echo "rc $?"; cat /w/pfx/drive_c/ProgramData/hostler/settings.json; ls '${all}'
      section wrong; rm -r /w/pfx/drive_c/ProgramData/hostler; wine msiexec /i 6.0.0.msi /qn PORT=99999; echo "rc $?"; ls '${all}' /w/pfx/drive_c/ProgramData/hostler`,
      );
      expect(seen.install).toContain('rc 0');
      for (const text of [`${all}/hostler.exe`, 'Start Menu/Programs/Hostler.lnk', 'hostler.exe\\" serve --background'])
        expect(seen.install).toContain(text);
      expect(seen.serve).toContain('running: process');
      expect(seen.update).toContain('rc 0');
      expect(seen.update).toContain('only-in-6.0.1.md');
      expect(seen.update).not.toContain('only-in-6.0.0.md');
      expect(seen.update).toContain('Hostler is not running');
      expect(seen.remove).toContain('rc 0');
      // Wine leaves a separator in PATH, which is stored as bytes.
      const left = traces(seen.remove ?? '').filter(
        (line) => !/AppData\/Local\/hostler|^[<>] {3}[0-9a-f,]+\\?$/.test(line),
      );
      expect(left).toEqual([]);
      expect(seen.path).toContain('PATH');
      expect(seen.path).not.toContain('Hostler');
      // No directory of Wine belongs to the administrators, so nothing is written there: what fails is undone.
      expect(seen.settings).toContain(`cannot access '${all}'`);
      expect(seen.settings).not.toContain('"port": 9175');
      for (const text of [seen.settings, seen.wrong]) expect(text).not.toContain('rc 0');
      expect(seen.wrong?.match(/cannot access/g)).toHaveLength(2);
    },
  );
});
