import { expect, test } from 'bun:test';
import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { readFlatpak } from './flatpak-state.ts';
import type { ManagerState } from './manager-state.ts';

const home = '/home/anna';
const installation = `${home}/.local/share/flatpak`;
const summary = `${installation}/repo/tmp/cache/summaries/flathub`;
const branch = `${installation}/app/org.example.App/x86_64/stable`;
const commit = 'a1'.repeat(32);

/** One application that is deployed, and what else lies there. */
const machine = (more: Record<string, string> = {}) =>
  machineFiles({
    [`${installation}/repo/config`]: '',
    [`${branch}/${commit}/deploy`]: 'flathub\0rest',
    [`${branch}/active`]: `-> ${commit}`,
    [`${path.dirname(summary)}/other`]: '',
    ...more,
  });

/** In a process of its own: one that waits for a pipe cannot be interrupted. */
function readElsewhere(root: string): ManagerState {
  const script = `const { readFlatpak } = await import(${JSON.stringify(path.join(import.meta.dirname, 'flatpak-state.ts'))});
    console.log(JSON.stringify(await readFlatpak({ all: ${JSON.stringify(root)} }, ${JSON.stringify(home)})));`;
  const { stdout, signal } = spawnSync(process.execPath, ['-e', script], { timeout: 60_000, killSignal: 'SIGKILL' });
  expect(signal).toBeNull();
  return JSON.parse(stdout.toString());
}

test.skipIf(!fs.existsSync('/usr/bin/mkfifo'))('a pipe in the place of a summary holds nothing up', () => {
  const { root } = machine();
  expect(spawnSync('/usr/bin/mkfifo', [path.join(root, summary)]).status).toBe(0);
  const { updates, problem } = readElsewhere(root);
  expect(updates).toBe(0);
  expect(problem).toContain('What flathub offers cannot be read');
  expect(problem).toContain('is not a file');
});

test('neither a device nor a summary that is too long is read', async () => {
  const { root } = machine({ [summary]: '-> /dev/null' });
  expect((await readFlatpak({ all: root }, home))?.problem).toContain('is not a file');
  const { root: long } = machine({ [summary]: '' });
  fs.truncateSync(path.join(long, summary), 64 * 1024 * 1024 + 1);
  expect((await readFlatpak({ all: long }, home))?.problem).toContain('it is too long');
});
