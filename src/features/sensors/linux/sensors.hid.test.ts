import { describe, expect, onTestFinished, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { replay } from '../../../../test/doubles/fake-hid.ts';
import { fakeClock, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { setPart } from '../../../core/part.ts';
import { atOnce } from '../../../lib/slices.ts';
import type { HidConnection } from '../hid/hid.ts';
import { hidFamilies } from '../hid/sensors.hid.families.ts';
import { createTalk, type HidReading, pad } from '../hid/sensors.hid.protocol.ts';
import type { SensorDevice } from '../sensors.devices.ts';
import { findControllers, hid } from './sensors.hid.ts';

const recording = (name: string) =>
  fs.readFileSync(path.join(import.meta.dirname, '..', 'fixtures', 'exchanges', `${name}.txt`), 'utf8');

/** Advances the clock until the promise is settled. */
async function settle<T>(clock: ReturnType<typeof fakeClock>, work: Promise<T>): Promise<T> {
  let settled = false;
  work
    .catch(() => {})
    .finally(() => {
      settled = true;
    });
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    if (settled) return work;
    clock.advanceToNext();
  }
}

const numbered = new Map([[0x70, 63]]);
const unnumbered = new Map([[0, 64]]);
const liquid = (celsius: number) => ({ label: 'Liquid', celsius });
const fan = (label: string, rpm: number) => ({ label, rpm });

describe('the exchange with a controller', () => {
  test.each<[string, number, Map<number, number>, HidReading]>([
    ['kraken-x2', 0x170e, numbered, { temperatures: [liquid(30.9)], fans: [fan('Fan', 1499), fan('Pump', 2702)] }],
    ['kraken-x3', 0x2007, numbered, { temperatures: [liquid(33.1)], fans: [fan('Pump', 1704)] }],
    ['kraken-x3-faulty', 0x2007, numbered, { temperatures: [], fans: [fan('Pump', 1704)] }],
    ['kraken-z3', 0x3008, numbered, { temperatures: [liquid(45.9)], fans: [fan('Pump', 2400), fan('Fan', 814)] }],
    ['smart-device', 0x1714, numbered, { temperatures: [], fans: [fan('Fan 1', 1160), fan('Fan 3', 884)] }],
    ['smart-device2', 0x2010, numbered, { temperatures: [], fans: [fan('Fan 1', 1098), fan('Fan 2', 750)] }],
    [
      'commander-pro',
      0x0c10,
      unnumbered,
      {
        temperatures: [
          { label: 'Probe 1', celsius: 26.91 },
          { label: 'Probe 2', celsius: 29.22 },
          { label: 'Probe 4', celsius: 25.74 },
        ],
        fans: [fan('Fan 1', 940), fan('Fan 2', 939)],
      },
    ],
    [
      'commander-core',
      0x0c1c,
      unnumbered,
      {
        temperatures: [liquid(31.5)],
        fans: [
          fan('Pump', 2587),
          fan('Fan 1', 717),
          fan('Fan 2', 724),
          ...[3, 4, 5, 6].map((port) => fan(`Fan ${port}`, 0)),
        ],
      },
    ],
    [
      'commander-core-xt',
      0x0c2a,
      unnumbered,
      { temperatures: [{ label: 'Probe 2', celsius: 25 }], fans: [fan('Fan 1', 540), fan('Fan 2', 554)] },
    ],
  ])('%s reports its values, and gets no other commands', async (name, product, outputs, expected) => {
    const clock = fakeClock();
    const family = hidFamilies.find(({ products }) => products[product] !== undefined);
    const device = replay(recording(name));
    const read = family?.begin(product);
    expect<HidReading | null | undefined>(
      await settle(clock, Promise.resolve(read?.(createTalk(clock, device, outputs)))),
    ).toEqual(expected);
    expect(device.left()).toEqual([]);
  });

  test('a controller that answers with other data is put back to hardware mode', async () => {
    const clock = fakeClock();
    const device = replay(recording('commander-core-confused'));
    const read = hidFamilies.find(({ products }) => products[0x0c1c] !== undefined)?.begin(0x0c1c);
    const reading = Promise.resolve(read?.(createTalk(clock, device, unnumbered)));
    expect(settle(clock, reading)).rejects.toThrow('data of type 9');
    await settle(clock, reading).catch(() => {});
    expect(device.left()).toEqual([]);
  });

  test('no product belongs to two families', () => {
    const all = hidFamilies.flatMap(({ vendor, products }) =>
      Object.keys(products).map((product) => `${vendor}:${product}`),
    );
    expect(new Set(all).size).toBe(all.length);
  });
});

test('reports have the length of the device, with a 0 before those without a number', () => {
  expect(pad([0x70, 0x01], new Map([[0x70, 63]]))).toHaveLength(64);
  expect([...pad([0x70, 0x01], new Map([[0x70, 3]]))]).toEqual([0x70, 0x01, 0, 0]);
  expect([...pad([0x11, 0x02], new Map([[0, 4]]))]).toEqual([0, 0x11, 0x02, 0, 0]);
  expect(pad([0x70], new Map())).toHaveLength(64);
});

const place = '../../devices/pci0000:00/0000:00:14.0/usb1/1-4/1-4:1.0/0003:1E71:2007.0005/hidraw/hidraw3';
const uevent = (vendor: string, product: string) =>
  `DRIVER=hid-generic\nHID_ID=0003:0000${vendor}:0000${product}\nHID_NAME=x\n`;

/** The only controller of a machine. */
function controller(open: () => Promise<HidConnection | null>, more: Record<string, string> = {}) {
  const clock = fakeClock();
  const files = machineFiles({
    [place.replace('../..', '/sys')]: '',
    '/dev/hidraw3': '',
    ...more,
  });
  const device = '/sys/class/hidraw/hidraw3/device';
  files.write(`${device}/uevent`, more[`${device}/uevent`] ?? uevent('1E71', '2007'));
  const host = fakeHost({ clock, files: { ...files, link: () => place } });
  setPart(host, hid, { open });
  const found = [...atOnce(findControllers(host, new Map())).values()];
  onTestFinished(() => {
    for (const each of found) each.close();
  });
  return { clock, found, refresh: (each: SensorDevice | undefined) => settle(clock, Promise.resolve(each?.refresh())) };
}

describe('a fan controller', () => {
  const status = `< 75 02 00 00 00 00 00 00 00 00 00 00 00 00 00 1e 05 e8 03 | 64\n`;

  test('is a device with fans and temperatures under stable keys', async () => {
    const { found, refresh } = controller(async () => replay(status));
    await refresh(found[0]);
    const { temperatures, fans } = found[0]?.read() ?? {};
    expect(temperatures).toEqual([{ key: 'nzxt_kraken_x3_1-4:1.0_liquid', temperature: 30.5, high: 0, critical: 0 }]);
    expect(fans).toEqual([
      {
        key: 'nzxt_kraken_x3_1-4:1.0_pump',
        name: 'NZXT Kraken X3',
        label: 'Pump',
        speed_rpm: 1000,
        speed_min: null,
        speed_max: null,
      },
    ]);
  });

  test('with a kernel driver, or of an unknown kind, is not opened', () => {
    const device = '/sys/class/hidraw/hidraw3/device';
    const never = () => Promise.reject(new Error('it was opened'));
    expect(controller(never, { [`${device}/hwmon/hwmon5/name`]: 'kraken2\n' }).found).toEqual([]);
    expect(controller(never, { [`${device}/uevent`]: uevent('046D', 'C52B') }).found).toEqual([]);
  });

  test('without access says how to get it, and is tried again later', async () => {
    let allowed = false;
    const { found, refresh } = controller(async () => (allowed ? replay(status) : null));
    await refresh(found[0]);
    expect(found[0]?.problem()).toMatch(
      /ATTRS\{idVendor\}=="1e71", ATTRS\{idProduct\}=="[0-9a-f]{4}", TAG\+="uaccess"/,
    );
    allowed = true;
    await refresh(found[0]);
    expect(found[0]?.read().fans).toEqual([]);
  });

  test('that is silent is restarted at growing intervals', async () => {
    let sent = 0;
    const silent = { send: async () => ++sent > 0, received: () => [], close: () => {} };
    const { clock, found, refresh } = controller(async () => silent);
    await refresh(found[0]);
    expect(sent).toBe(2);
    await refresh(found[0]);
    expect(sent).toBe(2);
    clock.advance(2000);
    await refresh(found[0]);
    expect(sent).toBe(4);
    for (let round = 0; round < 60; round += 1) {
      clock.advance(2000);
      await refresh(found[0]);
    }
    expect(sent).toBeLessThan(20);
  });

  test('that vanishes has no values after a while, and returns when it does', async () => {
    let device: HidConnection = replay(status);
    const { clock, found, refresh } = controller(async () => device);
    await refresh(found[0]);
    device.close();
    await refresh(found[0]);
    expect(found[0]?.read().fans).toHaveLength(1);
    clock.advance(15_001);
    device = { send: async () => false, received: () => null, close: () => {} };
    await refresh(found[0]);
    expect(found[0]?.read().fans).toEqual([]);
    device = replay(status);
    clock.advance(60_000);
    await refresh(found[0]);
    expect(found[0]?.read().fans).toHaveLength(1);
  });

  test('that was not read for a while is waited for, one that did not answer is not', async () => {
    let device: HidConnection = replay(status);
    const { clock, found, refresh } = controller(async () => device);
    await refresh(found[0]);
    expect(found[0]?.stale()).toBe(false);
    clock.advance(60_000);
    expect(found[0]?.stale()).toBe(true);
    device = { send: async () => false, received: () => null, close: () => {} };
    await refresh(found[0]);
    expect(found[0]?.stale()).toBe(false);
  });

  test('reports buffered between reads are discarded', async () => {
    const reports: Uint8Array[][] = [];
    const { clock, found, refresh } = controller(async () => ({
      send: async () => true,
      received: () => reports.shift() ?? [],
      close: () => {},
    }));
    const pump = (rpm: number) => {
      const report = new Uint8Array(64);
      report.set([0x75, 0x02]);
      report.set([rpm & 0xff, rpm >> 8], 17);
      return report;
    };
    reports.push([pump(1000)]);
    await refresh(found[0]);
    clock.advance(10_000);
    reports.push([pump(1111)], [pump(2000), pump(2222)]);
    await refresh(found[0]);
    expect(found[0]?.read().fans[0]?.speed_rpm).toBe(2222);
  });
});
