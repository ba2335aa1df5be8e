import { expect, test } from 'bun:test';
import type { RunResult } from '../../../host/processes/process-group.ts';
import type { Run } from '../../../host/processes/run.ts';
import { query } from './query.ts';

const answering =
  (given: Partial<RunResult>): Run =>
  async () => ({ exitCode: 0, signal: null, stdout: 'it', stderr: '', truncated: false, timedOut: false, ...given });

test('a query runs with an empty environment and low priority', async () => {
  let seen: unknown;
  await query(
    async (program, args, options) => {
      seen = options;
      return await answering({})(program, args, options);
    },
    '/usr/bin/apt-get',
    [],
  );
  expect(seen).toMatchObject({
    lowPriority: true,
    cwd: '/',
    env: { PATH: expect.any(String), LC_ALL: 'C.UTF-8', HOME: '/nonexistent' },
  });
});

test.each<[string, Partial<RunResult>, string]>([
  ['prints an error', { exitCode: 100, stderr: 'W: old\nE: It is broken.\n' }, 'failed: E: It is broken.'],
  ['fails without output', { exitCode: 2 }, 'failed with exit code 2'],
  ['is killed', { exitCode: null, signal: 'SIGSEGV' }, 'ended by a signal'],
  ['takes too long', { exitCode: null, timedOut: true }, 'did not finish in time'],
  ['prints too much', { truncated: true }, 'more than 8 MiB'],
])('a query that %s fails', async (_what, given, sentence) => {
  await expect(query(answering(given), '/usr/bin/pacman', [])).rejects.toThrow(sentence);
});

test('an exit code in the list counts as success', async () => {
  expect(await query(answering({ exitCode: 1 }), '/usr/bin/pacman', ['-Qu'], { allowed: [1] })).toBe('it');
});
