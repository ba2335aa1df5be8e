import { afterAll, expect, onTestFinished, spyOn, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { makeNamedPipe } from '../../../../test/harness/named-pipe.ts';
import { keymapIn } from './wayland.keymap.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-keymap-'));
const file = path.join(directory, 'keymap');
fs.writeFileSync(file, 'xkb_keymap {}\0garbage');
const pipe = path.join(directory, 'pipe');
makeNamedPipe(pipe);

afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const opened = (place: string) => fs.openSync(place, fs.constants.O_RDWR);

test('a keymap ends at its first zero, and has the size that the compositor reports at most', async () => {
  const read = async (size: number) => Buffer.from((await keymapIn(fakeClock(), opened(file), size, 1000)) ?? []);
  expect(String(await read(21))).toBe('xkb_keymap {}');
  expect(String(await read(2 ** 32 - 1))).toBe('xkb_keymap {}');
  expect(String(await read(3))).toBe('xkb');
});

test('a pipe is no keymap, and a file that is not read in time is given up', async () => {
  expect(await keymapIn(fakeClock(), opened(pipe), 100, 1000)).toBeNull();
  const reading = spyOn(fs, 'read').mockImplementation((() => {}) as never);
  onTestFinished(() => reading.mockRestore());
  const clock = fakeClock();
  const descriptor = opened(file);
  const content = keymapIn(clock, descriptor, 21, 1000);
  clock.advance(1000);
  expect(await content).toBeNull();
  fs.closeSync(descriptor);
});
