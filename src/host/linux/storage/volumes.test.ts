import { expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startThread } from '../../../app/threads/start-thread.ts';
import { createThreadCalls } from '../../../lib/thread-calls.ts';
import { createClock } from '../../clock.ts';
import { createVolumes, mountTableOf } from './volumes.ts';

const clock = createClock();

function temporaryDirectory(): string {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-mounts-'));
  onTestFinished(() => fs.rmSync(directory, { recursive: true }));
  return directory;
}

test('the space of a file system is the same synchronously, in the thread pool, and in our own thread', async () => {
  const { bsize, blocks } = fs.statfsSync('/');
  const { space, spaceLater } = createVolumes({}, clock, startThread);
  const total = { kind: 'value', value: { total: bsize * blocks } };
  expect(space('/')).toMatchObject(total);
  expect(await spaceLater('1', '/')).toMatchObject(total);
  const thread = createThreadCalls(startThread, clock, { job: 'space' });
  expect(await thread.ask(Buffer.from('/'))).toMatchObject({ bsize, blocks });
});

test('a missing path fails with its code in each of them', async () => {
  const { space, spaceLater } = createVolumes({}, clock, startThread);
  expect(space('/not/there')).toEqual({ kind: 'failed', code: 'ENOENT' });
  expect(await spaceLater('1', '/not/there')).toEqual({ kind: 'failed', code: 'ENOENT' });
  const thread = createThreadCalls(startThread, clock, { job: 'space' });
  await expect(thread.ask(Buffer.from('/not/there'))).rejects.toMatchObject({ code: 'ENOENT' });
  // The thread continues.
  expect(await thread.ask(Buffer.from('/'))).toMatchObject({ bsize: fs.statfsSync('/').bsize });
});

test('a mount point whose name is not valid UTF-8 is queried', () => {
  const directory = temporaryDirectory();
  const odd = Buffer.concat([Buffer.from(`${directory}/ü`), Buffer.from([0xff])]);
  fs.mkdirSync(odd);
  const { space } = createVolumes({}, clock, startThread);
  expect(space(odd.toString('latin1')).kind).toBe('value');
  fs.rmdirSync(odd);
});

test('with a moved root, paths and the table of mounts are resolved there', () => {
  const all = temporaryDirectory();
  fs.mkdirSync(path.join(all, 'data'));
  const { space } = createVolumes({ all }, clock, startThread);
  expect(mountTableOf({ all })).toBe('/proc/1/mountinfo');
  expect(space('/data').kind).toBe('value');
  expect(space('/etc')).toEqual({ kind: 'failed', code: 'ENOENT' });
  expect(mountTableOf({})).toBe('/proc/self/mountinfo');
});
