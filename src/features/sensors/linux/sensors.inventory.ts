import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { mapLater } from '../../../lib/later.ts';
import { inSlices } from '../../../lib/slices.ts';
import type { SensorDevice } from '../sensors.devices.ts';
import { findControllers } from './sensors.hid.ts';
import { findChips } from './sensors.hwmon.ts';
import { findZones } from './sensors.zones.ts';

/** The devices of this machine, which come and go with their drivers. */
export interface SensorInventory {
  current(): SensorDevice[] | Promise<SensorDevice[]>;
  close(): void;
}

const searchAgainMs = 10_000;
/** Slower devices are in the next payload. */
const gatherTimeoutMs = 1000;

type Devices = Map<string, SensorDevice>;
interface Found {
  chips: Devices;
  zones: Devices;
  controllers: Devices;
}

export function createSensorInventory(host: LinuxHost): SensorInventory {
  const { clock } = host;
  let known: Found = { chips: new Map(), zones: new Map(), controllers: new Map() };
  let searchedAt: number | null = null;

  function* search(): Generator<void, Found> {
    const chips = yield* findChips(host, known.chips);
    const names = new Set([...chips.values()].map(({ name }) => name));
    const zones = yield* findZones(host, names, known.zones);
    return { chips, zones, controllers: yield* findControllers(host, known.controllers) };
  }

  const adopt = (found: Found): SensorDevice[] | Promise<SensorDevice[]> => {
    const before = new Set(devicesOf(known));
    const devices = devicesOf(found);
    known = found;
    const fresh = devices.filter((device) => !before.delete(device));
    for (const gone of before) gone.close();
    for (const device of devices) device.renew();
    // Rare reads would otherwise never include values that are read in the background.
    const stale = devices.filter((device) => !fresh.includes(device) && device.stale());
    const unheard = [...fresh, ...stale].filter((device) => !device.asleep());
    return unheard.length === 0 ? devices : newValues(unheard).then(() => devices);
  };

  const newValues = (unheard: SensorDevice[]): Promise<void> =>
    new Promise((resolve) => {
      const cancel = clock.after(gatherTimeoutMs, resolve);
      Promise.all(unheard.map((device) => device.refresh())).then(() => {
        cancel();
        resolve();
      });
    });

  return {
    current() {
      const now = clock.monotonic();
      if (searchedAt !== null && now - searchedAt < searchAgainMs) return devicesOf(known);
      searchedAt = now;
      return mapLater(inSlices(clock, search()), adopt);
    },
    close() {
      for (const device of devicesOf(known)) device.close();
    },
  };
}

const devicesOf = ({ chips, zones, controllers }: Found) => [
  ...chips.values(),
  ...zones.values(),
  ...controllers.values(),
];
