import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import {
  isAsleep,
  parseAtaHealth,
  parseRegisters,
  parseVerdict,
  smartReadData,
  smartReturnStatus,
} from './smart.ata.ts';

/** Pages of real drives: values, then thresholds. */
function pagesOf(drive: string): [Uint8Array, Uint8Array] {
  const bytes = fs.readFileSync(path.join(import.meta.dirname, '..', 'fixtures', 'smart', `${drive}.bin`));
  return [bytes.subarray(0, 512), bytes.subarray(512)];
}

describe('pages of real drives', () => {
  test.each([
    // Half of its spare sectors are used, and hundreds wait to be replaced.
    ['wdc-wd5000aaks', { power_on_hours: 14_992, temperature: 40, reallocated: 63, pending: 529, media_errors: 0 }],
    // It was started too often, which does not predict a failure. Vendor-specific data follow the hours and the temperature.
    ['seagate-st9100821as', { power_on_hours: 4377, temperature: 34, reallocated: 0, pending: 0, media_errors: 0 }],
    // It fails: its motor has spin-up errors.
    [
      'maxtor-96147h8',
      { temperature: null, reallocated: 69, pending: 2, media_errors: 0, critical_warnings: ['Spin_Retry_Count'] },
    ],
    [
      'intel-ssdsa2mh080g1',
      { power_on_hours: 2309, temperature: null, reallocated: 0, pending: null, media_errors: null },
    ],
    // Its sector counts are vendor-specific.
    ['fujitsu-mhy2120bh', { temperature: 34, reallocated: 0, pending: null, media_errors: null }],
  ])('%s', (drive, expected) => {
    const [data, thresholds] = pagesOf(drive);
    expect(parseAtaHealth(data, thresholds, true, 1000)).toMatchObject({
      passed: true,
      critical_warnings: [],
      read_at: 1000,
      ...expected,
    });
  });

  test('attributes have thresholds, and those that reached them are warnings', () => {
    const [data, thresholds] = pagesOf('wdc-wd5000aaks');
    const healthy = parseAtaHealth(data, thresholds, true, 0);
    expect(healthy?.critical_warnings).toEqual([]);
    expect(healthy?.attributes.find(({ id }) => id === 5)).toEqual({
      id: 5,
      name: 'Reallocated_Sector_Ct',
      value: 192,
      worst: 192,
      threshold: 140,
      raw: 63,
      prefail: true,
    });
    expect(
      parseAtaHealth(
        changed(data, (page) => page.set([140], placeOfValue(data, 5))),
        thresholds,
        false,
        0,
      ),
    ).toMatchObject({
      passed: false,
      critical_warnings: ['Reallocated_Sector_Ct'],
    });
  });

  test('a page with a wrong checksum is ignored, but the verdict of the drive is used', () => {
    const [data, thresholds] = pagesOf('wdc-wd5000aaks');
    const torn = Uint8Array.from(data);
    torn[100] = (torn[100] ?? 0) ^ 0xff;
    expect(parseAtaHealth(torn, thresholds, false, 0)).toMatchObject({ passed: false, pending: null, attributes: [] });
    expect(parseAtaHealth(torn, thresholds, null, 0)).toBeNull();
    expect(parseAtaHealth(new Uint8Array(512), null, null, 0)).toBeNull();
    expect(parseAtaHealth(data.subarray(0, 100), null, null, 0)).toBeNull();
  });
});

const placeOfValue = (page: Uint8Array, id: number) =>
  3 + Array.from({ length: 30 }, (_, index) => 2 + 12 * index).reduce((found, at) => (page[at] === id ? at : found), 0);

/** With a corrected checksum. */
function changed(page: Uint8Array, change: (copy: Uint8Array) => void): Uint8Array {
  const copy = Uint8Array.from(page);
  change(copy);
  copy[511] = 0;
  copy[511] = -copy.reduce((sum, byte) => sum + byte, 0);
  return copy;
}

/** Sense data with the registers of the drive, in both formats. */
const descriptor = (count: number, middle: number, high: number, status = 0x50) =>
  Uint8Array.from([0x72, 1, 0, 0x1d, 0, 0, 0, 14, 9, 12, 0, 0, 0, count, 0, 0, 0, middle, 0, high, 0, status]);
const fixed = (count: number, middle: number, high: number) =>
  Uint8Array.from([0x70, 0, 1, 0, 0x50, 0, count, 10, 0, 0, middle, high, 0, 0x1d, 0, 0, 0, 0]);

describe.each([
  ['descriptor', descriptor],
  ['fixed', fixed],
])('sense data in %s format', (_name, sense) => {
  test('contain the verdict', () => {
    expect(parseVerdict(parseRegisters(sense(0, 0x4f, 0xc2)))).toBe(true);
    expect(parseVerdict(parseRegisters(sense(0, 0xf4, 0x2c)))).toBe(false);
    expect(parseVerdict(parseRegisters(sense(0, 1, 2)))).toBeNull();
  });

  test.each([
    [0x00, true],
    [0x01, true],
    [0x40, true],
    [0x41, false],
    [0x80, false],
    [0xff, false],
  ])('a drive with the count register %p', (count, asleep) => {
    expect(isAsleep(parseRegisters(sense(count, 0, 0)))).toBe(asleep);
  });
});

test('other sense data and errors of the drive give null', () => {
  expect(parseRegisters(new Uint8Array())).toBeNull();
  expect(parseRegisters(Uint8Array.from([0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0]))).toBeNull();
  const aborted = parseRegisters(descriptor(0xff, 0x4f, 0xc2, 0x51));
  expect(parseVerdict(aborted)).toBeNull();
  expect(isAsleep(aborted)).toBeNull();
  expect(isAsleep(null)).toBeNull();
});

test('commands are those of the specification', () => {
  expect(Buffer.from(smartReadData.cdb).toString('hex')).toBe('85080e00d0000100' + '00004f00c200b000');
  expect(Buffer.from(smartReturnStatus.cdb).toString('hex')).toBe('85062000da000000' + '00004f00c200b000');
});
