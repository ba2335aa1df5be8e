import type { HidFamily, HidReading } from './sensors.hid.protocol.ts';
import { listenFor, little } from './sensors.hid.protocol.ts';

/** Fourth generation of NZXT's coolers, without a screen. Reports as in the kernel's nzxt-kraken3.c. */
export const krakenX3: HidFamily = {
  vendor: 0x1e71,
  products: { 8199: 'NZXT Kraken X3', 8212: 'NZXT Kraken X3' },
  begin: () => async (talk) => {
    const report = (await listenFor(talk, isStatus, [everySecond, [0x70, 0x01]])).at(-1);
    return report === undefined ? null : parseKrakenStatus(report);
  },
};

const everySecond = [0x70, 0x02, 0x01, 0xb8, 0x03];
const isStatus = (report: Uint8Array) => report[0] === 0x75 && report[1] === 0x02 && report.length >= 20;

export function parseKrakenStatus(report: Uint8Array): HidReading {
  const [whole = 0, tenths = 0] = [report[15], report[16]];
  // A firmware fault that only a reset clears.
  const faulty = whole === 0xff && tenths === 0xff;
  return {
    temperatures: faulty ? [] : [{ label: 'Liquid', celsius: whole + tenths / 10 }],
    fans: [{ label: 'Pump', rpm: little(report, 17) }],
  };
}
