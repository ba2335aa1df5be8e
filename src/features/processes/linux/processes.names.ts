import type { Files } from '../../../host/linux/files.ts';

/** A name as far as it is known by now. */
export interface ProcessName {
  text: string;
}

/** `comm` is the kernel's name of the process, a character for each byte; `path` is its program, as far as that can be seen. */
export type FindName = (pid: number, comm: string, path: string | null) => ProcessName;

/** The kernel keeps this many bytes. */
const longestComm = 15;
const longestName = 255;
/** More are there only when one hangs. */
const mostWaiting = 1000;

/**
 * A name that the kernel cut is made whole from the path of the program, or else from the command line, if they begin alike.
 * A command line can take for ever to read, when its process hangs: it is waited for by nobody, and only one at a time.
 */
export function createNames(files: Files): FindName {
  const waiting: { pid: number; name: ProcessName }[] = [];
  let reading = false;

  const readNext = async () => {
    const next = waiting.shift();
    reading = next !== undefined;
    if (next === undefined) return;
    const [program = ''] = (await files.textLater(`/proc/${next.pid}/cmdline`))?.split('\0', 1) ?? [];
    next.name.text = wholeName(next.name.text, program) ?? next.name.text;
    void readNext();
  };

  return (pid, comm, path) => {
    const text = toText(comm);
    if (comm.length < longestComm) return { text };
    // The cut may go through a character.
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
