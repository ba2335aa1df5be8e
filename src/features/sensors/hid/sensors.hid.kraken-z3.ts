import { parseKrakenStatus } from './sensors.hid.kraken-x3.ts';
import type { HidFamily } from './sensors.hid.protocol.ts';
import { little } from './sensors.hid.protocol.ts';

/** NZXT's coolers with a screen: the same report, but only on request, and with the fans of the radiator. */
export const krakenZ3: HidFamily = {
  vendor: 0x1e71,
  products: {
    12296: 'NZXT Kraken Z3',
    12300: 'NZXT Kraken Elite 2023',
    12302: 'NZXT Kraken 2023',
    12306: 'NZXT Kraken Elite 2024',
    12308: 'NZXT Kraken Plus 2024',
  },
  begin: () => async (talk) => {
    talk.drain();
    await talk.send([0x74, 0x01]);
    const report = await talk.answer(isStatus);
    const { temperatures, fans } = parseKrakenStatus(report);
    return { temperatures, fans: [...fans, { label: 'Fan', rpm: little(report, 23) }] };
  },
};

const isStatus = (report: Uint8Array) => report[0] === 0x75 && report[1] === 0x01 && report.length >= 26;
