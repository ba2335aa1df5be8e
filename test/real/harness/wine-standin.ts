import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { root } from './service.ts';
import type { WineOptions } from './wine.ts';
import { wineTree } from './wine-tree.ts';

/** How a class is found: one of COM by its GUID, or one of WinRT by its name. */
export type StandinClass = { com: string } | { winrt: string };

/**
 * A library that implements classes Wine lacks: compiled from test/real/doubles/<name>.c against the C headers, put into C:\standins
 * and registered for these classes. Returns the options for startWine.
 */
export function wineStandin(name: string, classes: StandinClass[], libraries: string[] = []): WineOptions {
  const { folder, inside } = compiled(name, `${name}.dll`, ['-shared'], libraries);
  const lines = ['', ...classes.flatMap((kind) => registered(kind, `C:\\\\standins\\\\${name}.dll`)), ''];
  fs.writeFileSync(path.join(folder, `${name}.reg`), lines.join('\n'));
  return {
    mounts: [
      'mkdir -p "$0/w/pfx/drive_c/standins"',
      `cp "$0${inside}/${name}.dll" "$0/w/pfx/drive_c/standins"`,
      // Before Wine has read it: no program of Wine has to be started.
      `cat "$0${inside}/${name}.reg" >> "$0/w/pfx/system.reg"`,
    ],
  };
}

/**
 * A library that replaces one of Windows, which Wine implements partly or not at all: compiled from
 * test/real/doubles/<name>.c and put into System32 as `library`.
 */
export function wineLibrary(name: string, library: string, flags: string[] = []): WineOptions {
  const { inside } = compiled(name, library, ['-shared', ...flags]);
  const place = '"$0/w/pfx/drive_c/windows/system32"';
  return {
    mounts: [`cp --remove-destination "$0${inside}/${library}" ${place}`],
    environment: { WINEDLLOVERRIDES: `${library.replace(/\.dll$/, '')}=n` },
  };
}

/**
 * A driver of Windows' kernel, for which Wine has a process: compiled from test/real/doubles/<name>.c with Wine's own headers, put into C:\\standins and
 * started with Windows.
 */
export function wineDriver(name: string): WineOptions {
  const flags = ['-shared', '-nostdlib', '-Wl,--entry=DriverEntry', '-Wl,--subsystem,native'];
  const { folder, inside } = compiled(name, `${name}.sys`, flags, ['ntoskrnl']);
  const lines = [
    '',
    `[System\\\\ControlSet001\\\\Services\\\\${name}] 1700000000`,
    `"ImagePath"="C:\\\\standins\\\\${name}.sys"`,
    // A driver on its own.
    '"ErrorControl"=dword:00000001',
    '"Start"=dword:00000002',
    '"Type"=dword:00000001',
    '',
  ];
  fs.writeFileSync(path.join(folder, `${name}.reg`), lines.join('\n'));
  return {
    mounts: [
      'mkdir -p "$0/w/pfx/drive_c/standins"',
      `cp "$0${inside}/${name}.sys" "$0/w/pfx/drive_c/standins"`,
      `cat "$0${inside}/${name}.reg" >> "$0/w/pfx/system.reg"`,
    ],
  };
}

/** A program, put into C:\\standins. */
export function wineProgram(name: string, libraries: string[] = []): WineOptions {
  const { inside } = compiled(name, `${name}.exe`, [], libraries);
  const mounts = ['mkdir -p "$0/w/pfx/drive_c/standins"', `cp "$0${inside}/${name}.exe" "$0/w/pfx/drive_c/standins"`];
  return { mounts };
}

/** Once for each version of its source: it stays in the tree. */
function compiled(name: string, output: string, flags: string[], libraries: string[] = []) {
  const source = fs.readFileSync(path.join(root, 'test', 'real', 'doubles', `${name}.c`));
  const hash = createHash('sha256')
    .update(source)
    .update(`${flags} ${libraries} ${process.arch}`)
    .digest('hex')
    .slice(0, 16);
  const folder = path.join(wineTree, 'w', `standin-${name}-${hash}`);
  const inside = folder.slice(wineTree.length);
  fs.mkdirSync(folder, { recursive: true });
  if (fs.existsSync(path.join(folder, output))) return { folder, inside };
  const isDriver = source.includes('DriverEntry(');
  const headers = '/usr/include/wine/wine';
  // Driver headers conflict with those of the compiler.
  const include = isDriver ? [`-I${headers}/windows`, `-I${headers}/msvcrt`] : ['-idirafter', `${headers}/windows`];
  const links = ['ole32', 'uuid', ...libraries].map((library) => `-l${inWine(library)}`);
  const making = `${inside}/${process.pid}-${output}`;
  const begins = isDriver ? 'DriverEntry' : beginning(flags.includes('-shared'), source.includes('DllMain('));
  const { compiler, start, runtime } = toolchain(begins);
  const compile = [...compiler, ...flags, '-O1', '-w', ...include, '-x', 'c', '-o', making, '-'];
  const input = isDriver ? source : Buffer.concat([source, start]);
  const made = spawnSync('chroot', [wineTree, ...compile, ...links, ...runtime], {
    input,
    encoding: 'utf8',
    // Ours is outside of the tree.
    env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin', TMPDIR: '/tmp' },
  });
  if (made.status !== 0) throw new Error(`${name}.c: ${made.stderr}`);
  fs.renameSync(path.join(wineTree, making), path.join(folder, output));
  return { folder, inside };
}

/**
 * A compiler for the programs that Wine runs here, which are those of this machine's own architecture. Debian has none for Windows on arm64, but
 * clang can build them, with the headers of the other architecture and the libraries of Wine, if it is given the entry point.
 */
function toolchain(begins: string): { compiler: string[]; start: Buffer; runtime: string[] } {
  if (process.arch !== 'arm64') return { compiler: ['x86_64-w64-mingw32-gcc'], start: Buffer.alloc(0), runtime: [] };
  const compiler = [
    'clang-19',
    '--target=aarch64-w64-windows-gnu',
    '-fuse-ld=lld-19',
    '-nostdlib',
    '-mno-stack-arg-probe',
    '-isystem',
    '/usr/share/mingw-w64/include',
    '-D__USE_MINGW_ANSI_STDIO=0',
    `-Wl,--entry=${begins}`,
    ...(begins.startsWith('DllMain') ? ['-DLIBRARY'] : []),
  ];
  const libraries = ['msvcrt', 'kernel32', 'user32', 'shell32', 'advapi32', 'gdi32'].map((name) => `-l${name}`);
  return {
    compiler,
    start: fs.readFileSync(path.join(root, 'test', 'real', 'doubles', 'arm64-start.c')),
    runtime: ['-L/usr/lib/aarch64-linux-gnu/wine/aarch64-windows', ...libraries],
  };
}

function beginning(isLibrary: boolean, hasDllMain: boolean): string {
  if (!isLibrary) return 'mainCRTStartup';
  return hasDllMain ? 'DllMain' : 'DllMainCRTStartup';
}

/** Wine exports the functions of this library under another name. */
const inWine = (library: string) => (process.arch === 'arm64' && library === 'runtimeobject' ? 'combase' : library);

/** In the format of the Wine registry. */
function registered(kind: StandinClass, dll: string): string[] {
  if ('com' in kind)
    return [
      `[Software\\\\Classes\\\\CLSID\\\\{${kind.com.toUpperCase()}}\\\\InprocServer32] 1700000000`,
      `@="${dll}"`,
      '"ThreadingModel"="Both"',
      '',
    ];
  return [
    `[Software\\\\Microsoft\\\\WindowsRuntime\\\\ActivatableClassId\\\\${kind.winrt}] 1700000000`,
    `"DllPath"="${dll}"`,
    '"ActivationType"=dword:00000000',
    '"TrustLevel"=dword:00000000',
    '"Threading"=dword:00000000',
    '',
  ];
}
