import { type Clock, sleep } from '../../../lib/clock.ts';
import type { Hid, HidConnection, HidOutputs } from '../hid/hid.ts';
import { openController } from '../hid/sensors.hid.controller.ts';
import { hidFamilyOf } from '../hid/sensors.hid.families.ts';
import { gather, type SensorDevice } from '../sensors.devices.ts';
import type { HidReports } from './hid.ts';

const searchAgainMs = 10_000;

/** Fan controllers, as on Linux. Never executed with a device: a program simulates one under Wine. */
export function createControllers(load: () => Promise<HidReports>, clock: Clock) {
  let known = new Map<string, SensorDevice>();
  let searchedAt: number | null = null;
  const close = () => {
    for (const device of known.values()) device.close();
    known = new Map();
    searchedAt = null;
  };
  const search = async () => {
    const native = await load();
    const found = new Map<string, SensorDevice>();
    for (const path of native.list()) {
      const device = parseHidPath(path);
      const family = device === null ? undefined : hidFamilyOf(device);
      if (device === null || family === undefined) continue;
      const hid = createWindowsHid(native, clock);
      const about = { ...device, identity: path, outputs: hid.outputs };
      const refusal = (name: string) =>
        `Windows does not let this account use ${name}, or another program uses it exclusively`;
      found.set(path, known.get(path) ?? openController({ hid, clock }, about, family, refusal));
    }
    for (const [path, device] of known) if (!found.has(path)) device.close();
    known = found;
    for (const device of found.values()) device.renew();
  };
  return {
    async current(): Promise<SensorDevice[]> {
      const now = clock.monotonic();
      if (searchedAt === null || now - searchedAt >= searchAgainMs) {
        const before = new Set(known.values());
        searchedAt = now;
        await search();
        const awaited = [...known.values()].filter((device) => !before.has(device) || device.stale());
        if (awaited.length > 0) await gather(clock, awaited);
      }
      return [...known.values()];
    },
    close,
  };
}

/** Properties in the path of a device. `place`: stable at the same port; `interface`: of several of one device; NaN: the only one. `\\?\hid#vid_1e71&pid_2007&mi_00#7&1a2b3c4d&0&0000#{4d1e55b2-…}` */
export function parseHidPath(path: string) {
  const parts = /#?vid_([0-9a-f]{4})&pid_([0-9a-f]{4})(?:&mi_([0-9a-f]{2}))?[^#]*#([^#]+)/i.exec(path);
  if (parts === null) return null;
  const [, vendor = '', product = '', part = '', place = ''] = parts;
  const hex = (digits: string) => Number.parseInt(digits, 16);
  return { path, place, vendor: hex(vendor), product: hex(product), interface: hex(part) };
}

/** Time limit for a report. */
const sendWithinMs = 1000;
const checkEveryMs = 5;

/** One device. The lengths of its reports are known once it is open, so they are put into this map then. */
export function createWindowsHid(native: HidReports, clock: Clock): Hid & { outputs: HidOutputs } {
  const outputs = new Map<number, number>();
  return {
    outputs,
    async open(path) {
      const device = native.open(path);
      if (device === 0) return null;
      for (const [number, bytes] of native.outputs(device)) outputs.set(number, bytes);
      return connect(native, device, clock);
    },
  };
}

function connect(native: HidReports, device: number, clock: Clock): HidConnection {
  return {
    async send(report) {
      if (!native.send(device, report)) return false;
      for (const until = clock.monotonic() + sendWithinMs; clock.monotonic() <= until; ) {
        const wasSent = native.wasSent(device);
        if (wasSent !== null) return wasSent;
        await sleep(clock, checkEveryMs);
      }
      return false;
    },
    received: () => native.received(device),
    close: () => native.close(device),
  };
}
