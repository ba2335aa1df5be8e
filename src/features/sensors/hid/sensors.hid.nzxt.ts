import { big, type HidFamily, type HidReading, listenFor, little, type Talk } from './sensors.hid.protocol.ts';

const vendor = 0x1e71;

/** The last report of a device that sends them without a request. */
const latest =
  (isStatus: (report: Uint8Array) => boolean, start: number[][], parse: (report: Uint8Array) => HidReading) =>
  () =>
  async (talk: Talk) => {
    const report = (await listenFor(talk, isStatus, start)).at(-1);
    return report === undefined ? null : parse(report);
  };

/** Third generation of NZXT's coolers. Reports as in the kernel's nzxt-kraken2.c; sent twice a second without a request. */
const krakenX2: HidFamily = {
  vendor,
  products: { 5902: 'NZXT Kraken X2' },
  begin: latest(
    (report) => report[0] === 0x04 && report.length >= 7,
    [],
    (report) => ({
      temperatures: [{ label: 'Liquid', celsius: (report[1] ?? 0) + (report[2] ?? 0) / 10 }],
      fans: [
        { label: 'Fan', rpm: big(report, 3) },
        { label: 'Pump', rpm: big(report, 5) },
      ],
    }),
  ),
};

/** Fourth generation, without a screen. Reports as in the kernel's nzxt-kraken3.c, every second. */
const krakenX3: HidFamily = {
  vendor,
  products: { 8199: 'NZXT Kraken X3', 8212: 'NZXT Kraken X3' },
  begin: latest(
    (report) => report[0] === 0x75 && report[1] === 0x02 && report.length >= 20,
    [
      [0x70, 0x02, 0x01, 0xb8, 0x03],
      [0x70, 0x01],
    ],
    parseKrakenStatus,
  ),
};

/** With a screen: the same report, but only on request, and with the fans of the radiator. */
const krakenZ3: HidFamily = {
  vendor,
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
    const report = await talk.answer((each) => each[0] === 0x75 && each[1] === 0x01 && each.length >= 26);
    const { temperatures, fans } = parseKrakenStatus(report);
    return { temperatures, fans: [...fans, { label: 'Fan', rpm: little(report, 23) }] };
  },
};

function parseKrakenStatus(report: Uint8Array): HidReading {
  const [whole = 0, tenths = 0] = [report[15], report[16]];
  // A firmware fault that only a reset clears.
  const faulty = whole === 0xff && tenths === 0xff;
  return {
    temperatures: faulty ? [] : [{ label: 'Liquid', celsius: whole + tenths / 10 }],
    fans: [{ label: 'Pump', rpm: little(report, 17) }],
  };
}

/** First Smart Device and Grid+ V3. Each report is about one fan, in rotation. */
const smartDevice: HidFamily = {
  vendor,
  products: { 5908: 'NZXT Smart Device', 5905: 'NZXT Grid+ V3' },
  begin() {
    const speeds = new Map<number, number>();
    return async (talk) => {
      const reports = await listenFor(talk, isFanStatus, [detectFans, startReporting]);
      // At first, the others follow within a second.
      if (speeds.size === 0) reports.push(...(await talk.listen(hasTurnedRound)).filter(isFanStatus));
      for (const report of reports) {
        if (((report[15] ?? 0) & 0x03) !== 0) speeds.set(channelOf(report), big(report, 3));
        else speeds.delete(channelOf(report));
      }
      if (reports.length === 0) return null;
      const fans = [...speeds].sort(([a], [b]) => a - b);
      return { temperatures: [], fans: fans.map(([channel, rpm]) => ({ label: `Fan ${channel}`, rpm })) };
    };
  },
};

const detectFans = [0x01, 0x5c];
const startReporting = [0x01, 0x5d];
const isFanStatus = (report: Uint8Array) => report[0] === 0x04 && report.length >= 16;
const channelOf = (report: Uint8Array) => ((report[15] ?? 0) >> 4) + 1;

/** Whether the same fan was reported twice. */
function hasTurnedRound(reports: Uint8Array[]): boolean {
  const channels = reports.filter(isFanStatus).map(channelOf);
  return new Set(channels).size < channels.length;
}

/** Second Smart Device and RGB & Fan Controller. Reports as in the kernel's nzxt-smart2.c, every second. */
const smartDevice2: HidFamily = {
  vendor,
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
  begin: latest(
    (report) => report[0] === 0x67 && report[1] === 0x02 && report.length >= 40,
    [
      [0x60, 0x02, 0x01, 0xe8, 0x03, 0x01, 0xe8, 0x03],
      [0x60, 0x03],
    ],
    (report) => {
      const connected = [0, 1, 2].filter((channel) => report[16 + channel] !== 0);
      const fans = connected.map((channel) => ({ label: `Fan ${channel + 1}`, rpm: little(report, 24 + 2 * channel) }));
      return { temperatures: [], fans };
    },
  ),
};

export const nzxtFamilies: readonly HidFamily[] = [krakenX2, krakenX3, krakenZ3, smartDevice, smartDevice2];
