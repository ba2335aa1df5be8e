import { type Clock, sleep } from '../../../lib/clock.ts';
import type { HidConnection, HidOutputs } from './hid.ts';

/** The exchange with a controller. Every call fails with an error if it is gone or silent. */
export interface Talk {
  /** Sends a report with these first bytes. Where the device numbers its reports, the first byte is that number. */
  send(bytes: number[]): Promise<void>;
  /** Reports since the last call, oldest first. */
  drain(): Uint8Array[];
  /** Waits for unsolicited reports until there are enough; returns those received in time. */
  listen(enough: (reports: Uint8Array[]) => boolean): Promise<Uint8Array[]>;
  /** The first report that answers the request. */
  answer(matches: (report: Uint8Array) => boolean): Promise<Uint8Array>;
}

/** Older buffered reports are discarded. */
const oldestMs = 5000;
const timeoutMs = { listen: 1500, answer: 500 };
const everyMs = { listen: 50, answer: 5 };

export function createTalk(clock: Clock, connection: HidConnection, outputs: HidOutputs): Talk {
  let drainedAt = clock.monotonic();

  const drain = (): Uint8Array[] => {
    const reports = connection.received();
    if (reports === null) throw new Error('The device is gone');
    const now = clock.monotonic();
    const stale = now - drainedAt > oldestMs;
    drainedAt = now;
    return stale ? [] : reports;
  };

  return {
    async send(bytes) {
      if (!(await connection.send(pad(bytes, outputs)))) throw new Error('The device did not accept a report');
    },
    drain,
    async listen(enough) {
      const reports: Uint8Array[] = drain();
      for (let waited = 0; !enough(reports) && waited < timeoutMs.listen; waited += everyMs.listen) {
        await sleep(clock, everyMs.listen);
        reports.push(...drain());
      }
      return reports;
    },
    async answer(matches) {
      for (let waited = 0; waited < timeoutMs.answer; waited += everyMs.answer) {
        const found = drain().find(matches);
        if (found !== undefined) return found;
        await sleep(clock, everyMs.answer);
      }
      throw new Error('The device did not answer');
    },
  };
}

/** Padded to the report length of the device. Without numbers, a 0 goes before them. */
export function pad(bytes: number[], outputs: HidOutputs): Uint8Array {
  const unnumbered = outputs.get(0);
  const content = unnumbered === undefined ? bytes : [0, ...bytes];
  const length = unnumbered ?? outputs.get(bytes[0] ?? 0) ?? customaryBytes;
  const report = new Uint8Array(Math.max(content.length, length + 1));
  report.set(content);
  return report;
}

const customaryBytes = 63;

/** Controllers with the same protocol. */
export interface HidFamily {
  vendor: number;
  /** Their names by USB product. */
  products: Record<number, string>;
  /** The interface to use, of several. */
  interface?: number;
  /** Shortest interval between two queries. */
  everyMs?: number;
  /** Starts with one controller; its state is in the closure. null from a read: nothing new. */
  begin(product: number): (talk: Talk) => Promise<HidReading | null>;
}

export interface HidReading {
  temperatures: { label: string; celsius: number }[];
  fans: { label: string; rpm: number }[];
}

/** Reports of a device that sends them without a request. A silent device was not started, or forgot it over a sleep: only then it gets the start commands, which may make it detect its fans again. */
export async function listenFor(
  talk: Talk,
  isStatus: (report: Uint8Array) => boolean,
  begin: number[][],
): Promise<Uint8Array[]> {
  const some = (reports: Uint8Array[]) => reports.some(isStatus);
  const reports = (await talk.listen(some)).filter(isStatus);
  if (reports.length > 0) return reports;
  for (const command of begin) await talk.send(command);
  return (await talk.listen(some)).filter(isStatus);
}

export const big = (report: Uint8Array, at: number) => ((report[at] ?? 0) << 8) | (report[at + 1] ?? 0);
export const little = (report: Uint8Array, at: number) => (report[at] ?? 0) | ((report[at + 1] ?? 0) << 8);
