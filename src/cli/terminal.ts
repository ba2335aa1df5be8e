import fs from 'node:fs';

/** Where a command writes. */
export interface Terminal {
  /** A line to standard output, all of it before this returns. Throws the system's error when it cannot be written. */
  print(line: string): void;
  /** The same for what only a program or a file is to get: it goes out as it is. */
  write(bytes: Uint8Array): void;
  complain(line: string): void;
  /** Whether people read what is printed, rather than a program or a file. */
  isForPeople(): boolean;
  /** What lines are shown on. */
  screen(): Screen;
}

export interface Screen {
  /** null: no terminal, but a file or a pipe. */
  columns: number | null;
  /** The locale has no other characters. */
  ascii: boolean;
}

export function createTerminal(): Terminal {
  return {
    print: (line) => writeWhole(1, Buffer.from(`${harmless(line)}\n`)),
    write: (bytes) => writeWhole(1, bytes),
    complain: (line) => writeWhole(2, Buffer.from(`${harmless(line)}\n`)),
    // Loaded here: it brings streams along, which `hostler serve` starts without.
    isForPeople: () => process.getBuiltinModule('node:tty').isatty(1),
    screen() {
      const { LC_ALL, LC_CTYPE, LANG, COLUMNS } = process.env;
      const locale = LC_ALL || LC_CTYPE || LANG || '';
      const columns = process.stdout.isTTY ? process.stdout.columns || Number(COLUMNS) || null : null;
      return { columns, ascii: !/utf-?8/i.test(locale) };
    },
  };
}

/**
 * Names of processes, files and songs come from outside: wherever they are printed, they neither steer the terminal nor reverse the words
 * around them. Written as JSON has it, so that JSON stays the same value. Line ends and tabs are our own.
 */
export function harmless(text: string): string {
  return text.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Controls but tab and line end; marks, embeddings, overrides and isolates of direction; separators; deprecated formatting. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;

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
