import type { HidConnection } from '../../../host/linux/hardware/hid.ts';
import { type HidDevice, hidDevices } from '../../../host/linux/hardware/hidraw.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { keyOf } from '../sensors.keys.ts';
import { nothing, type Readings, type SensorDevice } from './sensors.devices.ts';
import { hidFamilies } from './sensors.hid.families.ts';
import { createTalk, type HidFamily, type HidReading, type Talk } from './sensors.hid.talk.ts';

/** Fan controllers that no driver of the kernel stands for. */
export function* findControllers(
  host: LinuxHost,
  known: Map<string, SensorDevice>,
): Generator<void, Map<string, SensorDevice>> {
  const found = new Map<string, SensorDevice>();
  for (const device of hidDevices(host.files)) {
    const family = familyOf(device);
    if (family === undefined) continue;
    const before = known.get(device.path);
    found.set(device.path, before?.identity === device.identity ? before : openController(host, device, family));
    yield;
  }
  return found;
}

function familyOf(device: HidDevice): HidFamily | undefined {
  if (device.measured) return undefined;
  const own = Number(device.place.split('.').at(-1));
  return hidFamilies.find(
    ({ vendor, products, interface: wanted }) =>
      vendor === device.vendor && products[device.product] !== undefined && (wanted === undefined || wanted === own),
  );
}

/** A controller that has been silent for so long has nothing to say. */
const oldestMs = 15_000;
const longestPauseMs = 60_000;

function openController({ hid, files, clock }: LinuxHost, device: HidDevice, family: HidFamily): SensorDevice {
  const name = family.products[device.product] ?? '';
  const askController = family.begin(device.product);
  let connection: HidConnection | null = null;
  let talk: Talk | null = null;
  let refused = false;
  let busy = false;
  let closed = false;
  let known: { readings: Readings; at: number } | null = null;
  let failures = 0;
  let waitUntil = 0;

  const connect = async (): Promise<Talk | null> => {
    const opened = await hid.open(device.path);
    refused = opened === null;
    if (closed) opened?.close();
    if (opened === null || closed) return null;
    connection = opened;
    return createTalk(clock, opened, device.outputs);
  };
  const disconnect = () => {
    connection?.close();
    connection = null;
    talk = null;
  };

  const ask = async (): Promise<boolean> => {
    try {
      talk ??= await connect();
      const reading = talk === null ? null : await askController(talk);
      if (reading === null) return false;
      known = { readings: describe(reading, name, device.place), at: clock.monotonic() };
      return true;
    } catch {
      // It is gone, asleep or busy with somebody else: the next time from the beginning.
      disconnect();
      return false;
    }
  };

  const refresh = async () => {
    if (busy || refused || clock.monotonic() < waitUntil) return;
    busy = true;
    failures = (await ask()) ? 0 : failures + 1;
    // Nobody who is silent is told to begin every two seconds.
    waitUntil = failures === 0 ? 0 : clock.monotonic() + Math.min(longestPauseMs, 1000 * 2 ** failures);
    busy = false;
  };

  const ageOf = (told: typeof known) => (told === null ? Number.POSITIVE_INFINITY : clock.monotonic() - told.at);
  const isOld = (told: typeof known) => ageOf(told) > oldestMs + (family.everyMs ?? 0);

  return {
    name,
    identity: device.identity,
    read() {
      if (ageOf(known) >= (family.everyMs ?? 0)) void refresh();
      return known === null || isOld(known) ? nothing : known.readings;
    },
    silent: nothing,
    refresh,
    stale: () => !busy && failures === 0 && isOld(known),
    renew() {
      refused = false;
    },
    asleep: () => false,
    problem: () => (refused && files.exists(device.path) ? permissionFor(name, device) : null),
    close() {
      closed = true;
      disconnect();
    },
  };
}

function describe({ temperatures, fans }: HidReading, name: string, place: string): Readings {
  return {
    temperatures: temperatures.map(({ label, celsius }) => ({
      key: keyOf(name, place, label),
      temperature: celsius,
      high: 0,
      critical: 0,
    })),
    fans: fans.map(({ label, rpm }) => ({
      key: keyOf(name, place, label),
      name,
      label,
      speed_rpm: rpm,
      speed_min: null,
      speed_max: null,
    })),
  };
}

function permissionFor(name: string, { path, vendor }: HidDevice): string {
  const id = vendor.toString(16).padStart(4, '0');
  return `The service may not use ${name} at ${path}; to allow it for the desktop user, add the line 'KERNEL=="hidraw*", ATTRS{idVendor}=="${id}", TAG+="uaccess"' to /etc/udev/rules.d/70-hostler.rules and plug the device in again`;
}
