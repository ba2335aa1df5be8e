// tier: full
import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Displays, displaysSchema } from '../../../src/features/displays/displays.schema.ts';
import { type GuestRecipe, runGuest, whyNoGuest } from '../harness/guest.ts';
import { findProgram } from '../harness/parts.ts';

// Emulated, and beside other tests: the virtual machine waits for what it needs, and ends.
setDefaultTimeout(1_200_000);

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler monitor-'));
const monitor = path.join(directory, 'ddc-monitor');
const guest: GuestRecipe = {
  init: 'guest-monitor-init.sh',
  programs: ['busybox'],
  modules: ['cuse'],
  needed: 'fs/fuse/cuse.ko',
  devices: () => [],
  files: new Map([['bin/ddc-monitor', monitor]]),
};
const why = findProgram('gcc') === null ? 'gcc not found' : whyNoGuest(guest);
if (why !== null) {
  fs.rmSync(directory, { recursive: true });
  console.warn(`skipped: a monitor in a virtual machine: ${why}`);
}

/** Neither i2c-stub (SMBus only) nor QEMU's i2c-ddc (EDID only) speaks DDC/CI: the monitor is a stand-in behind the kernel's own device file. */
describe.skipIf(why !== null)('a stand-in for a monitor behind a device of the kernel', () => {
  let answers: Map<string, string>;

  beforeAll(async () => {
    const source = path.join(import.meta.dirname, '../harness/ddc-monitor.c');
    execFileSync(findProgram('gcc') ?? '', ['-static', '-O1', '-o', monitor, source]);
    answers = await runGuest(guest).finally(() => fs.rmSync(directory, { recursive: true, force: true }));
  });

  const displayIn = (name: string): Displays[number] | undefined =>
    displaysSchema.parse(JSON.parse(answers.get(name) ?? ''))[0];
  const dataIn = (name: string) => JSON.parse(answers.get(name) ?? '').data;

  test('it reports its values', () => {
    expect(answers.get('device')).toMatch(/^c.* 89, +5 /);
    expect(displayIn('first')).toMatchObject({
      id: 'HDMI-A-1',
      brightness: 50,
      contrast: 70,
      input_source: 'HDMI-1',
      inputs: ['DisplayPort-1', 'HDMI-1', 'HDMI-2'],
      power: 'on',
    });
  });

  test('it is set by the commands, and confirms the values', () => {
    expect(dataIn('brightness')).toEqual({ displays: [{ id: 'HDMI-A-1', brightness: 25 }] });
    expect(dataIn('contrast')).toEqual({ displays: [{ id: 'HDMI-A-1', contrast: 33 }] });
    expect(dataIn('input')).toEqual({ display: 'HDMI-A-1', input: 'HDMI-2' });
  });

  test('it is switched off where no desktop could do that', () => {
    expect(dataIn('off')).toEqual({ displays: ['HDMI-A-1'], power: 'off', confirmed: true });
  });

  test('the monitor received exactly these requests, at its own address', () => {
    expect(answers.get('monitor')?.split('\n')).toEqual([
      'ioctl 0x703 0x37',
      'set 0x10 20',
      'set 0x12 33',
      'set 0x60 18',
      'set 0xd6 4',
    ]);
  });
});
