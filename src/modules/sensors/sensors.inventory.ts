import { inSlices } from '../../core/slices.ts';
import type { Host } from '../../host/host.ts';
import type { SensorDevice } from './sensors.devices.ts';
import { findChips } from './sensors.hwmon.ts';
import { findZones } from './sensors.zones.ts';

/** The devices of this machine, which come and go with their drivers. */
export interface Inventory {
  current(): SensorDevice[] | Promise<SensorDevice[]>;
  close(): void;
}

const searchAgainMs = 10_000;
/** Whoever needs longer for the first value is in the next payload. */
const patienceMs = 1000;

interface Found {
  chips: Map<string, SensorDevice>;
  zones: Map<string, SensorDevice>;
}

export function createInventory(host: Host): Inventory {
  const { clock } = host;
  let known: Found = { chips: new Map(), zones: new Map() };
  let searchedAt: number | null = null;

  function* search(): Generator<void, Found> {
    const chips = yield* findChips(host, known.chips);
    const names = new Set([...chips.values()].map(({ name }) => name));
    return { chips, zones: yield* findZones(host, names, known.zones) };
  }

  const adopt = (found: Found): SensorDevice[] | Promise<SensorDevice[]> => {
    const before = new Set(devicesOf(known));
    const devices = devicesOf(found);
    known = found;
    const fresh = devices.filter((device) => !before.delete(device));
    for (const gone of before) gone.close();
    for (const device of devices) device.values.renew();
    if (fresh.length === 0) return devices;
    return firstValues(fresh).then(() => devices);
  };

  const firstValues = (fresh: SensorDevice[]): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(patienceMs, resolve);
      const awake = fresh.filter((device) => !device.asleep());
      Promise.all(awake.map(({ values }) => values.refresh())).then(() => {
        cancel();
        resolve();
      });
    });

  return {
    current() {
      const now = clock.monotonic();
      if (searchedAt !== null && now - searchedAt < searchAgainMs) return devicesOf(known);
      searchedAt = now;
      const found = inSlices(clock, search());
      return found instanceof Promise ? found.then(adopt) : adopt(found);
    },
    close() {
      for (const device of devicesOf(known)) device.close();
    },
  };
}

const devicesOf = ({ chips, zones }: Found) => [...chips.values(), ...zones.values()];
