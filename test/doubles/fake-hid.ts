import fs from 'node:fs';
import type { Hid, HidConnection } from '../../src/features/sensors/hid/hid.ts';

/**
 * A device that replays a recording. Lines with `>` are reports to it, without trailing zeros,
 * those with `<` reports from it, with their length, which follow the one before them; the first ones come unrequested.
 */
export function replay(recording: string): HidConnection & { left(): string[] } {
  const lines = recording.split('\n').filter((line) => /^[<>]/.test(line));
  let waiting: Uint8Array[] = [];
  let gone = false;
  const speak = () => {
    while (lines[0]?.startsWith('<')) waiting.push(Uint8Array.from(parse(lines.shift() ?? '')));
  };
  speak();
  return {
    async send(report) {
      const expected = String(parse(lines[0] ?? ''));
      if (String(withoutZeros([...report])) !== expected) return false;
      lines.shift();
      speak();
      return true;
    },
    received() {
      if (gone) return null;
      const reports = waiting;
      waiting = [];
      return reports;
    },
    close() {
      gone = true;
    },
    /** Recorded but not requested. */
    left: () => lines,
  };
}

/** Recordings by the path of the device. */
export function replayHid(files: Record<string, string>): Hid {
  return {
    open: async (path) => {
      const file = files[path];
      return file === undefined ? null : replay(fs.readFileSync(file, 'utf8'));
    },
  };
}

/** `< 75 02 20 | 64` */
function parse(line: string): number[] {
  const [bytes = '', length = '0'] = line.slice(1).split('|');
  const numbers = bytes
    .trim()
    .split(/\s+/)
    .map((byte) => Number.parseInt(byte, 16));
  return [...numbers, ...Array<number>(Math.max(0, Number(length) - numbers.length)).fill(0)];
}

function withoutZeros(bytes: number[]): number[] {
  const last = bytes.findLastIndex((byte) => byte !== 0);
  return bytes.slice(0, last + 1);
}
