import type { Clock } from '../../../lib/clock.ts';
import { openController } from '../hid/sensors.hid.controller.ts';
import { hidFamilyOf } from '../hid/sensors.hid.families.ts';
import type { SensorDevice } from '../sensors.devices.ts';
import type { HidReports } from './hid.ts';
import { createWindowsHid, parseHidPath } from './windows-hid.ts';

const searchAgainMs = 10_000;
/** Slower controllers are in the next payload. */
const gatherWithinMs = 1000;

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
  /** A first read, or one after a long time, is waited for shortly. */
  const gather = async (devices: SensorDevice[]) => {
    if (devices.length === 0) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const cancel = clock.after(gatherWithinMs, resolve);
    void Promise.all(devices.map((device) => device.refresh())).then(() => resolve());
    await promise;
    cancel();
  };
  return {
    async current(): Promise<SensorDevice[]> {
      const now = clock.monotonic();
      if (searchedAt === null || now - searchedAt >= searchAgainMs) {
        const before = new Set(known.values());
        searchedAt = now;
        await search();
        await gather([...known.values()].filter((device) => !before.has(device) || device.stale()));
      }
      return [...known.values()];
    },
    close,
  };
}
