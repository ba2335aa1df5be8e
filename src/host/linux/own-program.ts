import fs from 'node:fs';
import path from 'node:path';
import type { OwnProgram, ProgramOrigin } from '../own-program.ts';
import { type ProgramFiles, programFiles, replaceInOneStep } from '../program-files.ts';
import { startCommand } from './start-command.ts';

interface OwnPlace {
  /** What is started: the program, or the runtime and our source. */
  command: readonly string[];
  /** As the runtime calls it: x64 or arm64. */
  architecture: string;
  /** Below which the files of the machine are; for tests. */
  root: string;
  files: ProgramFiles;
}

const here = (): OwnPlace => ({
  command: startCommand('').slice(0, -1),
  architecture: process.arch,
  root: '/',
  files: programFiles,
});

/** Packages of distributions are theirs: we only say what to type. */
export function findOwnProgram(_host: unknown, given: Partial<OwnPlace> = {}): OwnProgram {
  const place = { ...here(), ...given };
  const [program = '', ...rest] = place.command;
  return {
    origin: rest.length > 0 ? fromSource(rest.at(-1) ?? '') : originOf(real(program), place),
    replacement: replaceInOneStep(place.files),
    isRunBy: (pid) => linkOf(`/proc/${pid}/exe`) === real(program),
  };
}

function fromSource(script: string): ProgramOrigin {
  const isPackage = script.includes(`${path.sep}node_modules${path.sep}`);
  return {
    kind: 'managed',
    by: isPackage ? 'npm' : 'its source',
    file: () => null,
    command: (version) => (isPackage ? `npm install --global hostler@${version}` : 'git pull && npm install'),
  };
}

/** The names of the architectures in packages. */
const names: Record<string, { deb: string; other: string }> = {
  x64: { deb: 'amd64', other: 'x86_64' },
  arm64: { deb: 'arm64', other: 'aarch64' },
};

function originOf(program: string, { architecture, root }: OwnPlace): ProgramOrigin {
  const { deb = architecture, other = architecture } = names[architecture] ?? {};
  const has = (...parts: string[]) => fs.existsSync(path.join(root, ...parts));
  const managed = (by: string, file: (version: string) => string, words: string): ProgramOrigin => ({
    kind: 'managed',
    by,
    file,
    command: (version) => `${words} ./${file(version)}`,
  });
  const isSystems = /^\/usr\/(?!local\/)|^\/bin\//.test(program);
  if (isSystems && has('var/lib/dpkg/info/hostler.list'))
    return managed('apt', (version) => `hostler_${version}-1_${deb}.deb`, 'sudo apt install');
  if (isSystems && namesIn(path.join(root, 'var/lib/pacman/local')).some((name) => /^hostler-\d/.test(name)))
    return managed('pacman', (version) => `hostler-${version}-1-${other}.pkg.tar.zst`, 'sudo pacman -U');
  if (isSystems && (has('usr/lib/sysimage/rpm') || has('var/lib/rpm')))
    return managed(
      has('usr/bin/zypper') ? 'zypper' : 'dnf',
      (version) => `hostler-${version}-1.${other}.rpm`,
      has('usr/bin/zypper') ? 'sudo zypper install' : 'sudo dnf install',
    );
  if (isSystems || /^\/(?:nix|gnu|snap|app)\//.test(program))
    return {
      kind: 'managed',
      by: 'whatever installed it (an image or a package manager)',
      file: () => null,
      command: () => 'the command with which you update everything else here',
    };
  const target = `linux-${architecture}`;
  return {
    kind: 'archive',
    archive: (version) => `hostler-${version}-${target}.tar.gz`,
    programs: [{ entry: (version) => `hostler-${version}-${target}/bin/hostler`, file: program }],
  };
}

function real(file: string): string {
  try {
    return fs.realpathSync(file);
  } catch {
    return file;
  }
}

function linkOf(file: string): string | null {
  try {
    return fs.readlinkSync(file);
  } catch {
    return null;
  }
}

function namesIn(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}
