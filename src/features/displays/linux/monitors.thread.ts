import fs from 'node:fs';
import { libc } from '../../../host/linux/libc.ts';
import type { ThreadJob } from '../../../lib/thread.ts';
import { threadAnswers } from '../../../lib/thread-calls.ts';
import { askMonitor, type MonitorRequest, type OpenI2c } from './monitor-requests.ts';

/** linux/i2c-dev.h: selects an address; refused if a kernel driver uses it. */
const I2C_SLAVE = 0x0703n;
const i2cMajor = 89;
const EBUSY = 16;

/** Answers queries, each of which is sent after the answer to the one before. It blocks in the kernel and on the monitor. */
export const askMonitorsInThread: ThreadJob = async (post) => {
  const open = createOpenI2c();
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
  return { receive: threadAnswers(post, (request) => askMonitor(open, pause, request as MonitorRequest)) };
};

/** https://docs.kernel.org/i2c/dev-interface.html */
function createOpenI2c(): OpenI2c {
  return ({ file, number }) => {
    const descriptor = fs.openSync(file, fs.constants.O_RDWR | fs.constants.O_NONBLOCK);
    const found = fs.fstatSync(descriptor);
    // Another device at this path must not be written to.
    if (!found.isCharacterDevice() || numbersOf(found.rdev) !== `${i2cMajor}:${number}`) {
      fs.closeSync(descriptor);
      throw Object.assign(new Error(`${file} is another device`), { code: 'ENODEV' });
    }
    return {
      at(address) {
        if (libc.ioctl(descriptor, I2C_SLAVE, BigInt(address)) < 0)
          throw Object.assign(new Error(`a kernel driver uses ${file}`), { code: 'EBUSY', errno: EBUSY });
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

/** Major and minor number, as glibc decodes them. */
const numbersOf = (rdev: number) => `${(rdev >>> 8) & 0xfff}:${(rdev & 0xff) | ((rdev >>> 12) & 0xfff00)}`;
