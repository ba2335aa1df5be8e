import { type Clock, sleep } from '../../../lib/clock.ts';
import type { Hid, HidConnection, HidOutputs } from '../hid/hid.ts';
import type { HidReports } from './hid.ts';

/** Properties in the path of a device, without opening it. */
export interface WindowsHidDevice {
  path: string;
  /** Stable at the same port. */
  place: string;
  vendor: number;
  product: number;
  /** Of several of one device; NaN: the only one. */
  interface: number;
}

/** `\\?\hid#vid_1e71&pid_2007&mi_00#7&1a2b3c4d&0&0000#{4d1e55b2-…}` */
export function parseHidPath(path: string): WindowsHidDevice | null {
  const parts = /#?vid_([0-9a-f]{4})&pid_([0-9a-f]{4})(?:&mi_([0-9a-f]{2}))?[^#]*#([^#]+)/i.exec(path);
  if (parts === null) return null;
  const [, vendor = '', product = '', part = '', place = ''] = parts;
  const hex = (digits: string) => Number.parseInt(digits, 16);
  return { path, place, vendor: hex(vendor), product: hex(product), interface: hex(part) };
}

export interface WindowsHid extends Hid {
  /** Report lengths of an open device; empty: unknown. */
  outputs: HidOutputs;
}

/** Time limit for a report. */
const sendWithinMs = 1000;
const checkEveryMs = 5;

/** One device. The lengths of its reports are known once it is open, so they are put into this map then. */
export function createWindowsHid(native: HidReports, clock: Clock): WindowsHid {
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
