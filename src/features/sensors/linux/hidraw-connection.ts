import fs from 'node:fs';
import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Hid, HidConnection } from '../hid/hid.ts';

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
