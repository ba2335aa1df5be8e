import fs from 'node:fs';
import type { TerminalOutput } from '../core/command.ts';
import { harmless } from '../lib/harmless-text.ts';

export function createTerminal(): TerminalOutput {
  return {
    print: (line) => writeWhole(1, Buffer.from(`${harmless(line)}\n`)),
    write: (bytes) => writeWhole(1, bytes),
    writeFile,
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

function writeFile(file: string, bytes: Uint8Array): void {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = fs.constants;
  // A link or a file that another user has left in a shared directory would disclose the content.
  const descriptor = fs.openSync(file, O_WRONLY | O_CREAT | (O_NOFOLLOW ?? 0), 0o600);
  try {
    const { uid } = fs.fstatSync(descriptor);
    const own = process.getuid?.();
    if (own !== undefined && uid !== own) throw new Error(`${file} belongs to another user`);
    fs.ftruncateSync(descriptor);
    fs.writeFileSync(descriptor, bytes);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The runtime's streams lose what a full pipe did not take yet when the process ends. */
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
