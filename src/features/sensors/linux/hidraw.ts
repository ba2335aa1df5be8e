import type { Files } from '../../../host/linux/files.ts';
import { parseHwmonDevice } from '../../../host/linux/hardware/hwmon.ts';
import type { Controller } from '../hid/sensors.hid.controller.ts';

const directory = '/sys/class/hidraw';

/** `path`: such as `/dev/hidraw3`; `place`: such as `1-4:1.0`, port and interface. */
export interface HidDevice extends Controller {
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
