import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { architecture } from './packages.ts';
import { root } from './service.ts';

/** The program of this tree as another version would be, built with a key of releases; it takes as long as any build. */
export function buildVersion(version: string, key: string, directory: string): string {
  const tree = path.join(directory, `tree-${version}`);
  fs.mkdirSync(tree, { recursive: true });
  for (const name of ['src', 'scripts', 'web', 'package-lock.json', 'tsconfig.json'])
    fs.cpSync(path.join(root, name), path.join(tree, name), {
      recursive: true,
      filter: (from) => !from.includes('fixtures'),
    });
  fs.symlinkSync(path.join(root, 'node_modules'), path.join(tree, 'node_modules'));
  const manifest: Record<string, unknown> = JSON.parse(fs.readFileSync(path.join(root, 'package.json'), 'utf8'));
  fs.writeFileSync(path.join(tree, 'package.json'), JSON.stringify({ ...manifest, version }, null, 2));
  const target = `linux-${architecture}`;
  const { status, stderr } = spawnSync('node', [path.join(tree, 'scripts', 'build.mjs'), '--target', target], {
    encoding: 'utf8',
    env: { ...process.env, HOSTLER_RELEASE_KEY: key },
  });
  if (status !== 0) throw new Error(`${version} was not built: ${stderr}`);
  const program = path.join(directory, `hostler-${version}`);
  fs.renameSync(path.join(tree, 'dist', `hostler-${target}`, 'hostler'), program);
  fs.rmSync(tree, { recursive: true, force: true });
  return program;
}
