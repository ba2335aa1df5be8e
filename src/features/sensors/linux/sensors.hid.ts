import fs from 'node:fs';
import { definePart, partOf } from '../../../core/part.ts';
import type { Files } from '../../../host/linux/files.ts';
import { parseHwmonDevice } from '../../../host/linux/hardware/hwmon.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Hid, HidConnection } from '../hid/hid.ts';
import { type Controller, openController } from '../hid/sensors.hid.controller.ts';
import { hidFamilyOf } from '../hid/sensors.hid.families.ts';
import type { SensorDevice } from '../sensors.devices.ts';

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

export const hid = definePart<Hid, LinuxHost>({
  name: 'sensors.hid',
  create: createHid,
  absent: { open: async () => null },
});

/** https://docs.kernel.org/hid/hidraw.html */
export function createHid({ place }: Pick<LinuxHost, 'place'>): Hid {
  const flags = fs.constants.O_RDWR | fs.constants.O_NONBLOCK;
  return {
    // In the background: opening may have to wake the device up.
    open: (path) =>
      new Promise((resolve) => {
        fs.open(place(path), flags, (error, descriptor) => resolve(error ? null : connect(descriptor)));
      }),
  };
}

/** Longer than any report of the supported devices. */
const longestReport = 4096;
/** The kernel buffers 64 reports; a device that sends faster is read again the next time. */
const mostReports = 128;

function connect(descriptor: number): HidConnection {
  const buffer = Buffer.allocUnsafeSlow(longestReport);
  let sending = 0;
  let closed = false;
  /** A descriptor in use by a write must not be closed, because its number may be reused. */
  const closeWhenQuiet = () => {
    if (closed && sending === 0) fs.closeSync(descriptor);
  };
  return {
    send(report) {
      if (closed) return Promise.resolve(false);
      sending += 1;
      return new Promise((resolve) => {
        // In the background: it blocks until the device took the report.
        fs.write(descriptor, report, (error) => {
          sending -= 1;
          closeWhenQuiet();
          resolve(error === null);
        });
      });
    },
    received() {
      const reports: Uint8Array[] = [];
      while (!closed && reports.length < mostReports) {
        try {
          const length = fs.readSync(descriptor, buffer, 0, buffer.length, null);
          if (length === 0) return reports;
          reports.push(Uint8Array.from(buffer.subarray(0, length)));
        } catch (error) {
          return isEmpty(error) ? reports : null;
        }
      }
      return closed ? null : reports;
    },
    close() {
      if (closed) return;
      closed = true;
      closeWhenQuiet();
    },
  };
}

function isEmpty(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EAGAIN';
}

const directory = '/sys/class/hidraw';

/** `path`: such as `/dev/hidraw3`; `place`: such as `1-4:1.0`, port and interface. */
interface HidDevice extends Controller {
  vendor: number;
  /** Whether a kernel driver already shows its sensors. */
  measured: boolean;
}

export function hidDevices(files: Files): HidDevice[] {
  return files.list(directory).flatMap((name) => {
    const device = `${directory}/${name}/device`;
    const id = /^HID_ID=[\dA-F]+:([\dA-F]+):([\dA-F]+)$/m.exec(files.text(`${device}/uevent`) ?? '');
    if (id === null) return [];
    const identity = files.link(`${directory}/${name}`) ?? name;
    return [
      {
        path: `/dev/${name}`,
        identity,
        place: parseHwmonDevice(identity),
        vendor: Number.parseInt(id[1] ?? '', 16),
        product: Number.parseInt(id[2] ?? '', 16),
        measured: files.exists(`${device}/hwmon`),
        outputs: parseOutputs(files.bytes(`${device}/report_descriptor`) ?? new Uint8Array()),
      },
    ];
  });
}

/** Parses the lengths of output reports from a report descriptor. HID 1.11, 6.2.2 */
export function parseOutputs(descriptor: Uint8Array): Map<number, number> {
  const bits = new Map<number, number>();
  const globals = { size: 0, count: 0, id: 0 };
  for (let at = 0; at < descriptor.length; ) {
    const prefix = descriptor[at] ?? 0;
    // A long item has its length in the next byte; unused in practice.
    const length = prefix === longItem ? (descriptor[at + 1] ?? 0) + 2 : ([0, 1, 2, 4][prefix & 3] ?? 0);
    let value = 0;
    for (let byte = length; byte > 0; byte -= 1) value = value * 256 + (descriptor[at + byte] ?? 0);
    if ((prefix & 0xfc) === items.reportSize) globals.size = value;
    if ((prefix & 0xfc) === items.reportCount) globals.count = value;
    if ((prefix & 0xfc) === items.reportId) globals.id = value;
    if ((prefix & 0xfc) === items.output)
      bits.set(globals.id, (bits.get(globals.id) ?? 0) + globals.size * globals.count);
    at += 1 + length;
  }
  return new Map([...bits].map(([id, count]) => [id, Math.ceil(count / 8)]));
}

const longItem = 0xfe;
const items = { reportSize: 0x74, reportCount: 0x94, reportId: 0x84, output: 0x90 };
