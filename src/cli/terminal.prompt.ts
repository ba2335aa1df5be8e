import fs from 'node:fs';
import type { Prompt } from '../core/command.ts';

const interrupt = 0x03;
const endOfText = 0x04;
const killLine = 0x15;
const backspaces = new Set([0x08, 0x7f]);
const lineEnds = new Set([0x0a, 0x0d]);

export function createPrompt(): Prompt {
  const { stdin } = process;
  const interactive = stdin.isTTY === true;
  const say = (text: string) => {
    if (interactive) fs.writeSync(2, text);
  };
  return {
    interactive,
    line(prompt) {
      say(prompt);
      return readLine();
    },
    secret(prompt) {
      // First, so that no early typed character is shown.
      if (interactive) stdin.setRawMode(true);
      try {
        say(prompt);
        return readLine();
      } finally {
        if (interactive) stdin.setRawMode(false);
        say('\n');
      }
    },
  };
}

/** Byte by byte: the rest belongs to the next prompt. Editing keys come here only where the terminal does not handle them. */
function readLine(): string {
  const typed: number[] = [];
  for (;;) {
    const byte = readByte();
    if (byte === interrupt) throw new Error('Cancelled; nothing was changed');
    if (byte === null || byte === endOfText) {
      if (typed.length > 0) break;
      throw new Error('The input ended before everything was answered; nothing was changed');
    }
    if (lineEnds.has(byte)) break;
    if (byte === killLine) typed.length = 0;
    else if (backspaces.has(byte)) typed.pop();
    else typed.push(byte);
  }
  return Buffer.from(typed).toString('utf8').trim();
}

/** null: the end. Waiting blocks, which is acceptable for a command. */
function readByte(): number | null {
  const byte = Buffer.alloc(1);
  for (;;) {
    try {
      return fs.readSync(0, byte, 0, 1, null) === 0 ? null : (byte[0] ?? null);
    } catch (error) {
      const code = error instanceof Error && 'code' in error ? error.code : null;
      // The runtime may have made the descriptor non-blocking, and a closed pipe is the end on some systems.
      if (code === 'EOF') return null;
      if (code !== 'EAGAIN') throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 20);
    }
  }
}
