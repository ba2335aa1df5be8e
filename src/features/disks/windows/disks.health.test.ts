import { expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import { joined, structBytes } from '../../../../test/harness/struct-bytes.ts';
import { createWindowsHealth, healthQuery, parseLogPage, parsePrediction } from './disks.health.ts';
import {
  STORAGE_PREDICT_FAILURE,
  STORAGE_PROTOCOL_DATA_DESCRIPTOR,
  STORAGE_PROTOCOL_SPECIFIC_DATA,
} from './drives.structs.ts';
import type { DriveControl } from './drives.ts';

const { notSupported, denied } = { notSupported: 0xc00000bb, denied: 0xc0000022 };

/** The answer of an NVMe driver, with a page whose second byte is the temperature. */
function logPage(values: Partial<Record<'ProtocolType' | 'ProtocolDataOffset' | 'ProtocolDataLength', number>> = {}) {
  const inner = structBytes(STORAGE_PROTOCOL_SPECIFIC_DATA, {
    ProtocolType: 3,
    DataType: 2,
    ProtocolDataRequestValue: 2,
    ProtocolDataOffset: 40,
    ProtocolDataLength: 512,
    ...values,
  });
  const page = new Uint8Array(512);
  page.set([0, 0x3b, 0x01, 100, 10, 3]);
  return joined(structBytes(STORAGE_PROTOCOL_DATA_DESCRIPTOR, { ProtocolSpecificData: inner }), page);
}

function drives(given: Partial<DriveControl> = {}) {
  const asked: [device: string, code: number, property: number | undefined][] = [];
  const control: DriveControl = {
    isAsleep: () => false,
    ...given,
    ask(device, code, input, size) {
      asked.push([device, code, input[0]]);
      return given.ask?.(device, code, input, size) ?? notSupported;
    },
  };
  const clock = fakeClock(1_767_225_600_000);
  const health = createWindowsHealth(clock);
  const read = (names = ['PhysicalDrive0'], others: string[] = []) => {
    const { reasons, collected } = collectReasons();
    return { health: health.read(names, others, control, reasons), reasons: collected };
  };
  return { clock, asked, control, read };
}

test('the request is for 512 bytes of the second page of the drive', () => {
  const view = new DataView(Uint8Array.from(healthQuery(50)).buffer);
  const numbers = Array.from({ length: 12 }, (_, index) => view.getUint32(4 * index, true));
  expect(numbers).toEqual([50, 0, 3, 2, 2, 0, 40, 512, 0, 0, 0, 0]);
});

test('the output of the driver gives the offset of the page', () => {
  expect(parseLogPage(logPage())?.subarray(1, 3)).toEqual(Uint8Array.of(0x3b, 0x01));
  const moved = joined(logPage({ ProtocolDataOffset: 48 }), new Uint8Array(8));
  moved.copyWithin(56, 48, 560);
  expect(parseLogPage(moved)?.subarray(1, 3)).toEqual(Uint8Array.of(0x3b, 0x01));
});

test.each([
  ['nothing', null],
  ['too little', logPage().subarray(0, 47)],
  ['a page of something else', logPage({ ProtocolType: 2 })],
  ['less than a page', logPage({ ProtocolDataLength: 256 })],
  ['a page at offset 0', logPage({ ProtocolDataOffset: 0 })],
])('an output with %s has no page', (_name, bytes) => {
  expect(parseLogPage(bytes)).toBeNull();
});

test('a page outside of the output is ignored', () => {
  const { read } = drives({
    ask: (_device, code) => (code === 0x2d1400 ? logPage({ ProtocolDataOffset: 400 }) : null),
  });
  expect(read().health.size).toBe(0);
});

test('the controller is queried if the driver does not know the drive', () => {
  const { read, asked } = drives({ ask: (_device, _code, [property]) => (property === 49 ? logPage() : notSupported) });
  expect(read().health.get('PhysicalDrive0')).toMatchObject({ passed: true, temperature: 42, percentage_used: 3 });
  expect(asked).toEqual([
    ['\\\\.\\PhysicalDrive0', 0x2d1400, 50],
    ['\\\\.\\PhysicalDrive0', 0x2d1400, 49],
  ]);
});

test('a drive with a verdict only reports it; a truncated output gives null', () => {
  const fails = structBytes(STORAGE_PREDICT_FAILURE, { PredictFailure: 1 });
  expect(parsePrediction(fails, 5)).toMatchObject({ passed: false, power_on_hours: null, attributes: [], read_at: 5 });
  expect(parsePrediction(fails.subarray(0, 515), 5)).toBeNull();
});

test('drives are queried every ten minutes, and a removed one is forgotten', () => {
  const { read, asked, clock } = drives({ ask: () => logPage() });
  read();
  clock.advance(599_000);
  expect([read().health.get('PhysicalDrive0')?.read_at, asked.length]).toEqual([1_767_225_600, 1]);
  clock.advance(1000);
  expect([read().health.get('PhysicalDrive0')?.read_at, asked.length]).toEqual([1_767_226_200, 2]);
  read([]);
  expect([read().health.size, asked.length]).toEqual([1, 3]);
});

test('a sleeping drive is not queried, and keeps its reading', () => {
  const { read, asked, clock, control } = drives({ ask: () => logPage() });
  read();
  control.isAsleep = () => true;
  clock.advance(600_000);
  expect([read().health.get('PhysicalDrive0')?.read_at, asked.length]).toEqual([1_767_225_600, 1]);
  const { health, reasons } = read(['PhysicalDrive1']);
  expect([health.size, asked.length]).toEqual([0, 1]);
  expect(reasons).toEqual([
    {
      field: 'devices[].health',
      reason: 'PhysicalDrive1: sleeps, and is not woken to read its health',
      mendable: false,
    },
  ]);
});

test('a missing permission can be fixed by the user, a missing capability of a drive cannot', () => {
  const reasonOf = (ask: DriveControl['ask']) => drives({ ask }).read().reasons;
  expect(reasonOf((_device, code) => (code === 0x2d1400 ? notSupported : denied))).toMatchObject([
    { field: 'devices[].health', mendable: true, reason: expect.stringContaining('only administrators') },
  ]);
  expect(reasonOf(() => null)).toMatchObject([{ field: 'devices[].health', mendable: false }]);
  expect(drives().read([], ['N:\\']).reasons).toMatchObject([
    { reason: 'N:\\: only physical drives report their health' },
  ]);
});
