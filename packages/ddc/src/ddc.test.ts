import { expect, test } from 'bun:test';
import fc from 'fast-check';
import { parseCapabilities } from './capabilities.ts';
import { createDdc, DdcError, ddcRequest, parseDdcReply } from './ddc.ts';
import { type FakeMonitor, fakeMonitor } from './testing/fake-monitor.ts';
import { inputName, inputNumber, vcp } from './vcp.ts';

/** Time passes at once, and is counted. */
function talkTo(monitor: FakeMonitor) {
  const pauses: number[] = [];
  const ddc = createDdc(monitor, async (ms) => void pauses.push(ms));
  return { ddc, pauses };
}

test('encoded messages equal the examples of the specification', () => {
  // Get and set brightness; the checksums were computed by hand from DDC/CI 1.1.
  expect([...ddcRequest([0x01, 0x10])]).toEqual([0x51, 0x82, 0x01, 0x10, 0xac]);
  expect([...ddcRequest([0x03, 0x10, 0x00, 0x32])]).toEqual([0x51, 0x84, 0x03, 0x10, 0x00, 0x32, 0x9a]);
  expect([...parseDdcReply(Uint8Array.from([0x6e, 0x80, 0xbe]))]).toEqual([]);
});

test('a monitor is read, set and described with the required pauses', async () => {
  const monitor = fakeMonitor();
  const { ddc, pauses } = talkTo(monitor);
  expect(await ddc.get(vcp.brightness)).toEqual({ value: 40, max: 80 });
  expect(pauses).toEqual([45, 50]);
  await ddc.set(vcp.brightness, 300);
  expect(monitor.received.at(-1)).toEqual([0x03, 0x10, 0x01, 0x2c]);
  expect(await ddc.get(0x99)).toBeNull();
  expect(await ddc.capabilities()).toBe(monitor.capabilities);
  expect(parseCapabilities(monitor.capabilities).get(vcp.input)).toEqual([0x0f, 0x11, 0x12, 0x1b]);
});

test('an invalid reply is requested three times, then the query fails', async () => {
  const spoiled: Record<string, FakeMonitor['spoil']> = {
    nothing: () => new Uint8Array(),
    'a short read': (answer) => answer.slice(0, 5),
    zeros: () => new Uint8Array(11),
    'all ones': () => new Uint8Array(11).fill(0xff),
    'a wrong checksum': (answer) => answer.with(answer.length - 1, (answer.at(-1) ?? 0) ^ 1),
    'another feature': () =>
      Uint8Array.from([0x6e, 0x88, 2, 0, 0x12, 0, 0, 100, 0, 50, 0x50 ^ 0x6e ^ 0x88 ^ 2 ^ 0x12 ^ 100 ^ 50]),
    'a length of 127': (answer) => answer.with(1, 0xff),
    busy: () => {
      throw Object.assign(new Error('EBUSY'), { code: 'EBUSY' });
    },
  };
  for (const [what, spoil] of Object.entries(spoiled)) {
    const monitor = fakeMonitor({ spoil });
    const { ddc, pauses } = talkTo(monitor);
    expect([what, await ddc.get(vcp.brightness).catch((error: unknown) => error)]).toEqual([
      what,
      expect.any(DdcError),
    ]);
    expect(monitor.received).toHaveLength(3);
    expect(pauses.reduce((all, ms) => all + ms, 0)).toBeLessThan(1000);
  }
});

test('one invalid reply is retried, and repeated null messages mean an unsupported feature', async () => {
  let count = 0;
  const once = fakeMonitor({ spoil: (answer) => (count++ === 0 ? new Uint8Array(3) : answer) });
  expect(await talkTo(once).ddc.get(vcp.contrast)).toEqual({ value: 70, max: 100 });
  const mute = fakeMonitor({ spoil: () => Uint8Array.from([0x6e, 0x80, 0xbe]) });
  expect(await talkTo(mute).ddc.get(vcp.contrast)).toBeNull();
  expect(mute.received).toHaveLength(3);
});

test('a bus that accepts nothing is an error', async () => {
  const { ddc } = talkTo(
    fakeMonitor({
      write: () => {
        throw new Error('ENXIO');
      },
    }),
  );
  await expect(ddc.set(vcp.brightness, 1)).rejects.toThrow('it does not accept requests (Error: ENXIO)');
  await expect(ddc.get(vcp.brightness)).rejects.toThrow('it does not answer (Error: ENXIO)');
});

test('the length of a description is limited', async () => {
  const huge = fakeMonitor({ capabilities: `(vcp(10 ${'60('.repeat(30_000)}` });
  expect(await talkTo(huge).ddc.capabilities()).toHaveLength(4096);
  expect(huge.received.length).toBeLessThanOrEqual(129);
  // It repeats its first piece, which is not the requested one.
  const stuck = fakeMonitor();
  let first: Uint8Array | null = null;
  stuck.spoil = (answer) => {
    first ??= answer;
    return first;
  };
  await expect(talkTo(stuck).ddc.capabilities()).rejects.toThrow('another request');
  expect(stuck.received.length).toBeLessThan(10);
});

test('malformed descriptions are parsed as far as possible', () => {
  const read = (text: string) => Object.fromEntries(parseCapabilities(text));
  expect(read('')).toEqual({});
  expect(read('(prot(monitor)type(LCD)')).toEqual({});
  expect(read('(vcp(10 12 60(0f')).toEqual({ 16: null, 18: null, 96: [15] });
  expect(read('(VCP (1012 60( 11 11 zz 12 )D6(01 04))mswhql(1))')).toEqual({
    16: null,
    18: null,
    96: [17, 18],
    214: [1, 4],
  });
  expect(read('(vcp(60(0f(11)12))))))))))vcp(99)')).toEqual({ 96: [15, 18] });
  expect(read(`vcp(${'('.repeat(100_000)}`)).toEqual({});
  expect(read('vcp(1 123 \u0000\u202e)')).toEqual({});
});

test('arbitrary bytes and texts are parsed or refused', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 64 }), (bytes) => {
      try {
        expect(parseDdcReply(bytes).length).toBeLessThanOrEqual(bytes.length);
      } catch (error) {
        expect(error).toBeInstanceOf(DdcError);
      }
    }),
  );
  fc.assert(
    fc.property(fc.string({ maxLength: 500 }), (text) => {
      for (const feature of parseCapabilities(`vcp(${text}`).keys()) expect(feature).toBeLessThan(256);
    }),
  );
});

test('inputs have the names printed on monitors', () => {
  expect([1, 3, 0x0f, 0x11, 0x12, 0x1b].map(inputName)).toEqual([
    'VGA-1',
    'DVI-1',
    'DisplayPort-1',
    'HDMI-1',
    'HDMI-2',
    'Input-27',
  ]);
  for (let value = 1; value < 256; value++) expect(inputNumber(inputName(value))).toBe(value);
  expect(['hdmi 2', 'displayport1', 'INPUT-27'].map(inputNumber)).toEqual([0x12, 0x0f, 27]);
  expect(['', 'HDMI-9', 'input-0', 'input-256', '../x'].map(inputNumber)).toEqual([null, null, null, null, null]);
});
