import { type Clock, sleep } from '../../../lib/clock.ts';
import type { HidConnection, HidOutputs } from './hid.ts';

/** What can be said to a controller, and heard from it. Everything fails with an error when it is gone or silent. */
export interface Talk {
  /** Sends a report that begins so. Where the device numbers its reports, the first byte is that number. */
  send(bytes: number[]): Promise<void>;
  /** Reports that came since the last time, oldest first. */
  heard(): Uint8Array[];
  /** Waits until enough reports came by themselves; gives what came, enough or not. */
  listen(enough: (reports: Uint8Array[]) => boolean): Promise<Uint8Array[]>;
  /** The first report that answers what was sent. */
  answer(matches: (report: Uint8Array) => boolean): Promise<Uint8Array>;
}

/** What waited longer to be read says nothing about now. */
const oldestMs = 5000;
const timeoutMs = { listen: 1500, answer: 500 };
const everyMs = { listen: 50, answer: 5 };

export function createTalk(clock: Clock, connection: HidConnection, outputs: HidOutputs): Talk {
  let heardAt = clock.monotonic();

  const drain = (): Uint8Array[] => {
    const reports = connection.received();
    if (reports === null) throw new Error('The device is gone');
    const now = clock.monotonic();
    const stale = now - heardAt > oldestMs;
    heardAt = now;
    return stale ? [] : reports;
  };

  return {
    async send(bytes) {
      if (!(await connection.send(pad(bytes, outputs)))) throw new Error('The device did not accept a report');
    },
    heard: drain,
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

/** As long as the device says that its reports are. Without numbers, a 0 goes before them. */
export function pad(bytes: number[], outputs: HidOutputs): Uint8Array {
  const unnumbered = outputs.get(0);
  const content = unnumbered === undefined ? bytes : [0, ...bytes];
  const length = unnumbered ?? outputs.get(bytes[0] ?? 0) ?? customaryBytes;
  const report = new Uint8Array(Math.max(content.length, length + 1));
  report.set(content);
  return report;
}

const customaryBytes = 63;

/** Controllers that are spoken to in the same way. */
export interface HidFamily {
  vendor: number;
  /** Their names by USB product. */
  products: Record<number, string>;
  /** Of several interfaces, the one that is meant. */
  interface?: number;
  /** It is asked no more often than this. */
  everyMs?: number;
  /** Begins with one controller; what it needs to remember lives in the closure. null from a read: nothing new. */
  begin(product: number): (talk: Talk) => Promise<HidReading | null>;
}

export interface HidReading {
  temperatures: { label: string; celsius: number }[];
  fans: { label: string; rpm: number }[];
}

/**
 * Reports of a device that sends them by itself. One that is silent was never told to, or forgot it over a sleep: only then
 * it gets the commands to begin, which may make it look for its fans anew.
 */
export async function listenFor(
  talk: Talk,
  isStatus: (report: Uint8Array) => boolean,
  begin: number[][],
): Promise<Uint8Array[]> {
  const some = (reports: Uint8Array[]) => reports.some(isStatus);
  const heard = (await talk.listen(some)).filter(isStatus);
  if (heard.length > 0) return heard;
  for (const command of begin) await talk.send(command);
  return (await talk.listen(some)).filter(isStatus);
}

export const big = (report: Uint8Array, at: number) => ((report[at] ?? 0) << 8) | (report[at + 1] ?? 0);
export const little = (report: Uint8Array, at: number) => (report[at] ?? 0) | ((report[at + 1] ?? 0) << 8);
