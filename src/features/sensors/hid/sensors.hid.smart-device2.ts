import type { HidFamily, HidReading } from './sensors.hid.protocol.ts';
import { listenFor, little } from './sensors.hid.protocol.ts';

/** Second Smart Device and RGB & Fan Controller of NZXT. Reports as in the kernel's nzxt-smart2.c. */
export const smartDevice2: HidFamily = {
  vendor: 0x1e71,
  products: {
    8198: 'NZXT Smart Device V2',
    8205: 'NZXT Smart Device V2',
    8207: 'NZXT Smart Device V2',
    8201: 'NZXT RGB & Fan Controller',
    8206: 'NZXT RGB & Fan Controller',
    8208: 'NZXT RGB & Fan Controller',
    8209: 'NZXT RGB & Fan Controller',
    8217: 'NZXT RGB & Fan Controller',
    8224: 'NZXT RGB & Fan Controller',
  },
  begin: () => async (talk) => {
    const report = (await listenFor(talk, isSpeeds, [everySecond, detectFans])).at(-1);
    return report === undefined ? null : parseSmartDevice2(report);
  },
};

const everySecond = [0x60, 0x02, 0x01, 0xe8, 0x03, 0x01, 0xe8, 0x03];
const detectFans = [0x60, 0x03];
const isSpeeds = (report: Uint8Array) => report[0] === 0x67 && report[1] === 0x02 && report.length >= 40;
const at = { types: 16, speeds: 24 };

function parseSmartDevice2(report: Uint8Array): HidReading {
  const connected = [0, 1, 2].filter((channel) => report[at.types + channel] !== 0);
  return {
    temperatures: [],
    fans: connected.map((channel) => ({ label: `Fan ${channel + 1}`, rpm: little(report, at.speeds + 2 * channel) })),
  };
}
