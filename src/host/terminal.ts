import fs from 'node:fs';

/** Where a command writes. */
export interface Terminal {
  /** A line to standard output, all of it before this returns. Throws the system's error when it cannot be written. */
  print(line: string): void;
  complain(line: string): void;
}

export function createTerminal(): Terminal {
  return { print: (line) => writeWhole(1, `${line}\n`), complain: (line) => writeWhole(2, `${line}\n`) };
}

/** The runtime's streams lose what a full pipe did not take yet when the process ends. */
function writeWhole(descriptor: number, text: string): void {
  const bytes = Buffer.from(text);
  let written = 0;
  while (written < bytes.length) {
    try {
      written += fs.writeSync(descriptor, bytes, written);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EAGAIN')) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
