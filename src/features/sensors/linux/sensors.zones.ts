import type { Files } from '../../../host/linux/files.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { SensorDevice } from '../sensors.devices.ts';
import { keyOf } from '../sensors.keys.ts';
import { toDegrees } from './sensors.hwmon.ts';
import { createValues } from './sensors.values.ts';

const directory = '/sys/class/thermal';

/** Thermal zones that are not also hwmon chips. https://docs.kernel.org/driver-api/thermal/sysfs-api.html */
export function* findZones(
  host: LinuxHost,
  chips: ReadonlySet<string>,
  known: Map<string, SensorDevice>,
): Generator<void, Map<string, SensorDevice>> {
  const { files } = host;
  const found = new Map<string, SensorDevice>();
  for (const name of files.list(directory)) {
    if (!name.startsWith('thermal_zone')) continue;
    const zone = `${directory}/${name}`;
    const type = files.text(`${zone}/type`)?.trim() ?? '';
    yield;
    if (type === '' || pretended.test(type) || chips.has(type.replaceAll('-', '_'))) continue;
    // The same sensor under another name.
    if (type === 'x86_pkg_temp' && chips.has('coretemp')) continue;
    const before = known.get(zone);
    found.set(zone, before?.identity === type ? before : openZone(host, zone, type));
  }
  return found;
}

/** The controller of Intel's power policies has no sensor, and always reports 20 °C. */
const pretended = /^INT3400/;

function openZone(host: LinuxHost, zone: string, type: string): SensorDevice {
  const values = createValues(host, [`${zone}/temp`]);
  const trips = readTrips(host.files, zone);
  const sensor = {
    key: keyOf('thermal', type),
    temperature: null,
    high: toDegrees(trips.get('hot') ?? trips.get('passive') ?? null),
    critical: toDegrees(trips.get('critical') ?? null),
  };
  return {
    name: type,
    identity: type,
    read() {
      const [value = null] = values.read();
      return { temperatures: [{ ...sensor, temperature: value === null ? null : value / 1000 }], fans: [] };
    },
    silent: { temperatures: [sensor], fans: [] },
    refresh: values.refresh,
    stale: values.stale,
    renew: values.renew,
    asleep: () => false,
    problem: () => null,
    close: values.close,
  };
}

/** The lowest trip temperature of each kind. */
function readTrips(files: Files, zone: string): Map<string, number> {
  const trips = new Map<string, number>();
  for (const name of files.list(zone)) {
    const trip = /^(trip_point_\d+)_type$/.exec(name)?.[1];
    if (trip === undefined) continue;
    const kind = files.text(`${zone}/${name}`)?.trim() ?? '';
    const value = Number.parseInt(files.text(`${zone}/${trip}_temp`) ?? '', 10);
    if (value > 0) trips.set(kind, Math.min(trips.get(kind) ?? value, value));
  }
  return trips;
}
