import type { CreateSource } from '../../core/module.ts';
import { explainNulls, type Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { mapLater } from '../../lib/later.ts';
import { inSlices } from '../../lib/slices.ts';
import { findControllers } from './linux/sensors.hid.ts';
import { findChips } from './linux/sensors.hwmon.ts';
import { findZones } from './linux/sensors.zones.ts';
import { gather, type Readings, type SensorDevice } from './sensors.devices.ts';
import { withUniqueKeys } from './sensors.keys.ts';
import type { Fan, Sensors, Temperature } from './sensors.schema.ts';

export const sensorsLinux: CreateSource<Sensors, LinuxHost> = (host) => {
  const inventory = createSensorInventory(host);
  return {
    read: async (reasons) => await inSlices(host.clock, describeAll(await inventory.current(), reasons)),
    close: () => inventory.close(),
  };
};

function* describeAll(devices: SensorDevice[], reasons: Reasons): Generator<void, Sensors> {
  const all: Readings = { temperatures: [], fans: [] };
  for (const device of devices) {
    const problem = device.problem();
    if (problem !== null) reasons.missing('fans', problem);
    const asleep = device.asleep();
    if (asleep) reasons.inherent('temperatures', `${device.name} is asleep, and reading it would wake it up`);
    const { temperatures, fans } = asleep ? device.silent : device.read();
    all.temperatures.push(...temperatures);
    all.fans.push(...fans);
    yield;
  }
  const temperatures = withUniqueKeys(all.temperatures).filter(isMeasured);
  const fans = withUniqueKeys(all.fans).filter(({ speed_rpm }) => speed_rpm !== null);
  explain(temperatures, fans, reasons);
  return { temperatures, fans, windows_sensors: null };
}

const isMeasured = (sensor: Readings['temperatures'][number]): sensor is Temperature => sensor.temperature !== null;

function explain(temperatures: Temperature[], fans: Fan[], reasons: Reasons): void {
  reasons.inherent('windows_sensors', 'Available on Windows only');
  if (temperatures.length === 0)
    reasons.inherent('temperatures', 'No driver reports a temperature, which is usual in virtual machines');
  if (fans.length === 0)
    reasons.inherent('fans', 'No driver reports a fan; many laptops and boards do not expose theirs');
  const limit = 'The driver does not report this limit for every fan';
  explainNulls(fans, 'fans[]', { speed_min: limit, speed_max: limit }, reasons.inherent);
}

const searchAgainMs = 10_000;

type Devices = Map<string, SensorDevice>;
interface Found {
  chips: Devices;
  zones: Devices;
  controllers: Devices;
}

/** The devices of this machine, which come and go with their drivers. */
function createSensorInventory(host: LinuxHost) {
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
    return unheard.length === 0 ? devices : gather(clock, unheard).then(() => devices);
  };

  return {
    current(): SensorDevice[] | Promise<SensorDevice[]> {
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
