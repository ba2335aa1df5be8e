import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { hasNvidiaDriver } from '../linux/nvidia-driver.ts';
import { toPciAddress } from './nvml.library.ts';
import { endsSession, nvmlProblem } from './nvml.ts';

test.each<[string, string | null]>([
  ['00000000:01:00.0', '0000:01:00.0'],
  ['00000000:C1:00.0', '0000:c1:00.0'],
  ['00010000:E1:00.0', '10000:e1:00.0'],
  ['', null],
  ['GPU-1', null],
])('the bus id %p is the address %p', (busId, address) => {
  expect(toPciAddress(busId)).toBe(address);
});

test('every error code has a message, and some close the session', () => {
  for (let code = 1; code < 30; code += 1) expect(nvmlProblem(code)).toMatch(/^[A-Z].{10}/);
  expect([1, 3, 9, 15, 18, 999].filter(endsSession)).toEqual([1, 9, 15, 18, 999]);
});

test('a driver is present if its module is loaded, or its device was passed in', () => {
  expect(hasNvidiaDriver(machineFiles({}))).toBe(false);
  expect(hasNvidiaDriver(machineFiles({ '/proc/driver/nvidia/version': 'NVRM' }))).toBe(true);
  expect(hasNvidiaDriver(machineFiles({ '/dev/nvidiactl': '' }))).toBe(true);
});
