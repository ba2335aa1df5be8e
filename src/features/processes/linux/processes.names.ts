import type { Files } from '../../../host/linux/files.ts';
import { lockedFilesOf } from './command-line.ts';

/** `text` may be completed later. */
export interface ProcessName {
  text: string;
}

/** Bytes of a name in the kernel. */
const longestComm = 15;
const longestName = 255;
const longestPath = 4096;
/** The queue is longer only while a read hangs. */
const mostWaiting = 1000;

/**
 * Completes a truncated name from the path of the program, or else from the command line, if they have the same beginning.
 * No caller waits for the command line.
 */
export function createNames(files: Files) {
  const waiting: { pid: number; name: ProcessName }[] = [];
  let reading = false;

  const readNext = async () => {
    const next = waiting.shift();
    reading = next !== undefined;
    if (next === undefined) return;
    const [program = ''] = (await lockedFilesOf(files)(`/proc/${next.pid}/cmdline`, longestPath))?.split('\0', 1) ?? [];
    next.name.text = wholeName(next.name.text, program) ?? next.name.text;
    void readNext();
  };

  /** `comm`: the name in the kernel, one character per byte. `path`: its program, if readable. */
  return (pid: number, comm: string, path: string | null): ProcessName => {
    const text = toText(comm);
    if (comm.length < longestComm) return { text };
    // The cut may be inside a character.
    const known = text.replace(/\ufffd$/, '');
    const name: ProcessName = { text: wholeName(known, path ?? '') ?? known };
    if (name.text === known && waiting.length < mostWaiting) {
      waiting.push({ pid, name });
      if (!reading) void readNext();
    }
    return name;
  };
}

export const toText = (bytes: string) => Buffer.from(bytes, 'latin1').toString();

function wholeName(known: string, program: string): string | null {
  const name = program.slice(program.lastIndexOf('/') + 1).slice(0, longestName);
  return name.startsWith(known) ? name : null;
}
