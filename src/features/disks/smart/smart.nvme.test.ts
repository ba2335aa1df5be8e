import { expect, test } from 'bun:test';
import { parseNvmeHealth } from './smart.nvme.ts';

/** The page of a drive, by the offsets of the specification. */
function log(given: Record<number, number[]>): Uint8Array {
  const page = new Uint8Array(512);
  for (const [at, bytes] of Object.entries(given)) page.set(bytes, Number(at));
  return page;
}

const worn = { 1: [0x3f, 0x01], 3: [100, 10, 103], 128: [0x2c, 0x03], 160: [17] };

test('a drive beyond its rated endurance', () => {
  expect(parseNvmeHealth(log(worn), 1_767_225_000)).toEqual({
    passed: true,
    percentage_used: 103,
    power_on_hours: 812,
    temperature: 46,
    reallocated: null,
    pending: null,
    media_errors: 17,
    critical_warnings: [],
    attributes: [],
    read_at: 1_767_225_000,
  });
});

test.each([
  [0b0000_0001, ['spare']],
  [0b0000_1110, ['temperature', 'reliability', 'read_only']],
  [0b0011_0000, ['volatile_memory', 'persistent_memory']],
  // A bit without a name is still a warning.
  [0b1000_0000, []],
])('critical warnings %p', (bits, warnings) => {
  expect(parseNvmeHealth(log({ ...worn, 0: [bits] }), 0)).toMatchObject({ passed: false, critical_warnings: warnings });
});

test('an empty or truncated page gives null; counts beyond the exact integers are unknown', () => {
  expect(parseNvmeHealth(new Uint8Array(512), 0)).toBeNull();
  expect(parseNvmeHealth(log(worn).subarray(0, 200), 0)).toBeNull();
  expect(parseNvmeHealth(log({ ...worn, 1: [0, 0], 136: [1] }), 0)).toMatchObject({
    temperature: null,
    power_on_hours: null,
  });
});
