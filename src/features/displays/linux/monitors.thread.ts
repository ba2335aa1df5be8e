import fs from 'node:fs';
import { openLibc } from '../../../host/linux/libc.ts';
import type { ThreadJob } from '../../../lib/thread.ts';
import { askMonitor, type MonitorQuestion, type OpenI2c } from './monitor-requests.ts';

/** What stands at an address, of linux/i2c-dev.h; the kernel refuses it where a driver of its own has that address. */
const I2C_SLAVE = 0x0703n;
const i2cMajor = 89;
const EBUSY = 16;

/** One question after another, each answered by one message. It waits in the kernel and for the monitor. */
export const askMonitorsInThread: ThreadJob = async (post) => {
  const open = createOpenI2c();
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  let last: Promise<unknown> = Promise.resolve();
  return {
    receive(question) {
      last = last.then(async () => post(await askMonitor(open, pause, question as MonitorQuestion)));
    },
  };
};

/** https://docs.kernel.org/i2c/dev-interface.html */
function createOpenI2c(): OpenI2c {
  const libc = openLibc({ ioctl: { args: ['i32', 'u64', 'u64'], returns: 'i32' } });
  return ({ file, number }) => {
    const descriptor = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
    const found = fs.fstatSync(descriptor);
    // What else may stand in that place is left alone.
    if (!found.isCharacterDevice() || numbersOf(found.rdev) !== `${i2cMajor}:${number}`) {
      fs.closeSync(descriptor);
      throw Object.assign(new Error(`${file} is another device`), { code: 'ENODEV' });
    }
    return {
      at(address) {
        if (libc.ioctl(descriptor, I2C_SLAVE, BigInt(address)) < 0)
          throw Object.assign(new Error(`the kernel keeps ${file} for itself`), { code: 'EBUSY', errno: EBUSY });
        return {
          write: (bytes) => void fs.writeSync(descriptor, bytes),
          read(length) {
            const buffer = Buffer.alloc(length);
            return Uint8Array.from(buffer.subarray(0, fs.readSync(descriptor, buffer, 0, length, null)));
          },
        };
      },
      close: () => fs.closeSync(descriptor),
    };
  };
}

/** As glibc takes them apart. */
const numbersOf = (rdev: number) => `${(rdev >>> 8) & 0xfff}:${(rdev & 0xff) | ((rdev >>> 12) & 0xfff00)}`;
