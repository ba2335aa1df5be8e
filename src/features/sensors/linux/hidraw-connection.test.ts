import { afterAll, expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { makeNamedPipe } from '../../../../test/harness/named-pipe.ts';
import { createHid } from './sensors.hid.ts';

const root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-hid-'));
fs.mkdirSync(path.join(root, 'dev'));
afterAll(() => fs.rmSync(root, { recursive: true }));

const place = (file: string) => path.join(root, file);

/** A pipe stands for the device: it returns what it was sent, and is empty otherwise. */
function pipe(name: string): string {
  makeNamedPipe(path.join(root, 'dev', name));
  onTestFinished(() => fs.rmSync(path.join(root, 'dev', name)));
  return `/dev/${name}`;
}

test('reports are received without blocking', async () => {
  const connection = await createHid({ place }).open(pipe('hidraw0'));
  expect(connection?.received()).toEqual([]);
  expect(await connection?.send(Uint8Array.of(0x75, 0x02, 0xff))).toBe(true);
  expect(connection?.received()).toEqual([Uint8Array.of(0x75, 0x02, 0xff)]);
  expect(connection?.received()).toEqual([]);
  connection?.close();
});

test('after closing nothing is received or sent, and the descriptor is closed', async () => {
  // Counts this device only: other tests may close theirs at any time.
  const descriptors = () => fs.readdirSync('/proc/self/fd').filter((name) => linkOf(name).endsWith('/hidraw1')).length;
  const path = pipe('hidraw1');
  const before = descriptors();
  const connection = await createHid({ place }).open(path);
  expect(descriptors()).toBe(before + 1);
  const sending = connection?.send(Uint8Array.of(1));
  connection?.close();
  connection?.close();
  expect(await sending).toBe(true);
  expect(connection?.received()).toBeNull();
  expect(await connection?.send(Uint8Array.of(2))).toBe(false);
  expect(descriptors()).toBe(before);
});

test('a missing device cannot be opened, and one that accepts no report fails', async () => {
  const hid = createHid({ place });
  expect(await hid.open('/dev/hidraw9')).toBeNull();
  const full = await createHid({ place: (file) => file }).open('/dev/full');
  expect(await full?.send(Uint8Array.of(1))).toBe(false);
  full?.close();
});

/** Empty: the descriptor is closed. */
function linkOf(descriptor: string): string {
  try {
    return fs.readlinkSync(`/proc/self/fd/${descriptor}`);
  } catch {
    return '';
  }
}
