import type { HidFamily, HidReading } from './sensors.hid.protocol.ts';
import { big, listenFor } from './sensors.hid.protocol.ts';

/** Third generation of NZXT's coolers. Reports as in the kernel's nzxt-kraken2.c; sent twice a second without a request. */
export const krakenX2: HidFamily = {
  vendor: 0x1e71,
  products: { 5902: 'NZXT Kraken X2' },
  begin: () => async (talk) => {
    const report = (await listenFor(talk, isStatus, [])).at(-1);
    return report === undefined ? null : parseKrakenX2(report);
  },
};

const isStatus = (report: Uint8Array) => report[0] === 0x04 && report.length >= 7;

function parseKrakenX2(report: Uint8Array): HidReading {
  return {
    temperatures: [{ label: 'Liquid', celsius: (report[1] ?? 0) + (report[2] ?? 0) / 10 }],
    fans: [
      { label: 'Fan', rpm: big(report, 3) },
      { label: 'Pump', rpm: big(report, 5) },
    ],
  };
}
