import { partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { openController } from '../hid/sensors.hid.controller.ts';
import { hidFamilyOf } from '../hid/sensors.hid.families.ts';
import type { SensorDevice } from '../sensors.devices.ts';
import { type HidDevice, hidDevices } from './hidraw.ts';
import { hid } from './hidraw-connection.ts';

/** Fan controllers without a kernel driver. */
export function* findControllers(
  host: LinuxHost,
  known: Map<string, SensorDevice>,
): Generator<void, Map<string, SensorDevice>> {
  const opening = {
    clock: host.clock,
    hid: { open: async (path: string) => (await partOf(host, hid)).open(path) },
  };
  const found = new Map<string, SensorDevice>();
  for (const device of hidDevices(host.files)) {
    const family = device.measured
      ? undefined
      : hidFamilyOf({ ...device, interface: Number(device.place.split('.').at(-1)) });
    if (family === undefined) continue;
    const before = known.get(device.path);
    const refusal = (name: string) => (host.files.exists(device.path) ? permissionFor(name, device) : null);
    found.set(
      device.path,
      before?.identity === device.identity ? before : openController(opening, device, family, refusal),
    );
    yield;
  }
  return found;
}

/** By product: a rule for the vendor would also open its keyboards to every program of the user. */
function permissionFor(name: string, { path, vendor, product }: HidDevice): string {
  const hex = (id: number) => id.toString(16).padStart(4, '0');
  return `The service may not use ${name} at ${path}; to allow it for the desktop user, add the line 'KERNEL=="hidraw*", ATTRS{idVendor}=="${hex(vendor)}", ATTRS{idProduct}=="${hex(product)}", TAG+="uaccess"' to /etc/udev/rules.d/70-hostler.rules and plug the device in again`;
}
