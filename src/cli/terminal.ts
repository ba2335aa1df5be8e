import fs from 'node:fs';
import type { TerminalOutput } from '../core/command.ts';
import { harmless } from '../lib/harmless-text.ts';

/** The output of a command. */
export function createTerminal(): TerminalOutput {
  return {
    print: (line) => writeWhole(1, Buffer.from(`${harmless(line)}\n`)),
    write: (bytes) => writeWhole(1, bytes),
    complain: (line) => writeWhole(2, Buffer.from(`${harmless(line)}\n`)),
    // Loaded here: it loads streams, which `hostler serve` starts without.
    isForPeople: () => process.getBuiltinModule('node:tty').isatty(1),
    screen() {
      const { LC_ALL, LC_CTYPE, LANG, COLUMNS } = process.env;
      const locale = LC_ALL || LC_CTYPE || LANG || '';
      const columns = process.stdout.isTTY ? process.stdout.columns || Number(COLUMNS) || null : null;
      return { columns, ascii: !/utf-?8/i.test(locale) };
    },
  };
}

/** The runtime's streams lose what a full pipe has not taken when the process ends. */
function writeWhole(descriptor: number, bytes: Uint8Array): void {
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
