/** A small Debian with Wine, in which the Windows build is tested: created once, as root, in a cache outside the repository. */
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';

/** Debian 12 has a Wine that lacks a library Bun needs. */
const suite = 'trixie';
/** The compiler is for stand-ins of what Wine lacks, and for comparing our structures with the headers: 464 MB of 2 GB. */
const packages = [
  'wine',
  'wine64',
  'libxrandr2',
  'gcc-mingw-w64-x86-64-win32',
  'libwine-dev',
  // That compiler makes nothing that Wine could run on arm64.
  ...(process.arch === 'arm64' ? ['clang-19', 'lld-19'] : []),
];
/** Changes whenever the content of the tree changes. */
const generation = 2;

export const wineTree = `/var/cache/hostler-tests/wine-${suite}-${generation}`;

/** Why there is no tree; null: there is one. Creates it where that is possible, which takes some two minutes. */
export function lacksWineTree() {
  if (process.platform !== 'linux') return 'Wine is tried on Linux only';
  if (process.getuid?.() !== 0) return 'only root can make a tree with Wine and enter it';
  if (!mayMount()) return 'mounting in a namespace of our own is forbidden here';
  if (fs.existsSync(wineTree)) return null;
  if (!fs.existsSync('/usr/bin/mmdebstrap')) return 'the package mmdebstrap is not installed';
  return makeTree();
}

function mayMount(): boolean {
  const script = 'mount --make-rprivate / && mount -t proc proc /proc';
  return spawnSync('unshare', ['-m', '-p', '-f', 'sh', '-c', script], { stdio: 'ignore' }).status === 0;
}

function makeTree(): string | null {
  const site = mirror();
  if (site === null) return 'apt-get names no mirror of Debian to take Wine from';
  process.stdout.write(`== making a tree with Wine at ${wineTree}, once: 2 GB, some two minutes\n`);
  const making = `${wineTree}.${process.pid}`;
  fs.mkdirSync(path.dirname(wineTree), { recursive: true });
  try {
    const include = `--include=${packages.join(',')}`;
    const made = spawnSync('mmdebstrap', ['--variant=minbase', include, suite, making, site], { encoding: 'utf8' });
    if (made.status !== 0) return `mmdebstrap failed: ${lastLine(made.stderr)}`;
    for (const directory of ['w', 'w/run']) fs.mkdirSync(path.join(making, directory), { mode: 0o700 });
    const booted = spawnSync('unshare', enterArguments(making, 'wineboot -i; wineserver -w'), { encoding: 'utf8' });
    if (booted.status !== 0) return `Wine does not start: ${lastLine(booted.stderr)}`;
    fs.writeFileSync(path.join(making, 'w', 'packages'), `${packages.join(' ')}\n`);
    fs.renameSync(making, wineTree);
    return null;
  } finally {
    fs.rmSync(making, { recursive: true, force: true });
  }
}

/** Arguments of unshare to run a shell command in the tree, which sees only the devices and the network of the outer machine. */
export function enterArguments(
  tree: string,
  command: string,
  { mounts = [], environment = {} }: { mounts?: string[]; environment?: Record<string, string> } = {},
): string[] {
  const variables = {
    PATH: '/usr/bin:/bin:/usr/lib/wine',
    HOME: '/w',
    WINEPREFIX: '/w/pfx',
    WINEDEBUG: '-all',
    XDG_RUNTIME_DIR: '/w/run',
    LANG: 'C.UTF-8',
    ...environment,
  };
  const script = [
    'mount --make-rprivate /',
    'mount -t proc proc "$0/proc"',
    'mount --rbind /sys "$0/sys"',
    'mount --rbind /dev "$0/dev"',
    'mount -t tmpfs tmpfs "$0/tmp"',
    ...mounts,
    'command=$1; shift',
    'exec chroot "$0" /usr/bin/env -i "$@" /bin/sh -c "$command"',
  ].join(' && ');
  const assigned = Object.entries(variables).map(([name, value]) => `${name}=${value}`);
  return ['-m', '-p', '-f', '--kill-child', 'sh', '-c', script, tree, command, ...assigned];
}

/** The package source of this machine; null: unknown. */
function mirror(): string | null {
  const { stdout } = spawnSync('apt-get', ['indextargets', '--format', '$(SITE)'], { encoding: 'utf8' });
  const sites = (stdout ?? '').split('\n').filter((site) => /\/debian\/?$/.test(site));
  return sites[0] ?? null;
}

const lastLine = (text: string) => text.trim().split('\n').at(-1) ?? '';
