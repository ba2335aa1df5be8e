import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { root } from './service.ts';

/** The name of this architecture in our packages. */
export const architecture = os.arch() === 'arm64' ? 'arm64' : 'x64';
export const debArchitecture = architecture === 'arm64' ? 'arm64' : 'amd64';
export const rpmArchitecture = architecture === 'arm64' ? 'aarch64' : 'x86_64';

export interface MadePackages extends Disposable {
  directory: string;
  path(name: string): string;
  names: string[];
}

/** `npm run package` with existing programs, with weak compression. */
export function makePackages(
  programs: Record<string, string>,
  { only, format, env = {} }: { only: string[]; format?: 'deb'; env?: Record<string, string> },
): MadePackages {
  const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-release-'));
  const directory = path.join(scratch, 'out');
  for (const [place, target] of Object.entries(programs)) {
    fs.mkdirSync(path.dirname(path.join(scratch, place)), { recursive: true });
    fs.symlinkSync(target, path.join(scratch, place));
  }
  const { status, stderr } = spawnSync(
    'node',
    [
      path.join(root, 'scripts', 'package.mjs'),
      '--programs',
      scratch,
      '--only',
      only.join(','),
      '--out',
      directory,
      '--quick',
      ...(format === undefined ? [] : ['--format', format, '--no-packing']),
    ],
    { encoding: 'utf8', env: { ...process.env, ...env } },
  );
  const remove = () => fs.rmSync(scratch, { recursive: true, force: true });
  if (status !== 0) {
    remove();
    throw new Error(`the packages were not made: ${stderr}`);
  }
  return {
    directory,
    path: (name) => path.join(directory, name),
    names: fs.readdirSync(directory).sort(),
    [Symbol.dispose]: remove,
  };
}
