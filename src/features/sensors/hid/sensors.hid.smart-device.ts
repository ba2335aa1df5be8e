import type { HidFamily } from './sensors.hid.protocol.ts';
import { big, listenFor } from './sensors.hid.protocol.ts';

/** First Smart Device and Grid+ V3 of NZXT. Each report is about one fan, in rotation. */
export const smartDevice: HidFamily = {
  vendor: 0x1e71,
  products: { 5908: 'NZXT Smart Device', 5905: 'NZXT Grid+ V3' },
  begin() {
    const speeds = new Map<number, number>();
    return async (talk) => {
      const reports = await listenFor(talk, isStatus, [detectFans, startReporting]);
      // At first, the others follow within a second.
      if (speeds.size === 0) reports.push(...(await talk.listen((more) => hasTurnedRound(more))).filter(isStatus));
      for (const report of reports) {
        const { channel, connected, rpm } = parseSmartDevice(report);
        if (connected) speeds.set(channel, rpm);
        else speeds.delete(channel);
      }
      if (reports.length === 0) return null;
      const fans = [...speeds].sort(([a], [b]) => a - b);
      return { temperatures: [], fans: fans.map(([channel, rpm]) => ({ label: `Fan ${channel}`, rpm })) };
    };
  },
};

const detectFans = [0x01, 0x5c];
const startReporting = [0x01, 0x5d];
const isStatus = (report: Uint8Array) => report[0] === 0x04 && report.length >= 16;

/** Whether the same fan was reported twice. */
function hasTurnedRound(reports: Uint8Array[]): boolean {
  const channels = reports.filter(isStatus).map((report) => parseSmartDevice(report).channel);
  return new Set(channels).size < channels.length;
}

function parseSmartDevice(report: Uint8Array): { channel: number; connected: boolean; rpm: number } {
  const state = report[15] ?? 0;
  return { channel: (state >> 4) + 1, connected: (state & 0x03) !== 0, rpm: big(report, 3) };
}
