import fs from 'node:fs';

/** A short file that is read often and at once, such as one of thousands of process files in /proc. */
export interface ShortFile {
  /** Reads from the beginning into memory of the caller; returns the number of bytes. null: missing, not readable, or of an ended process. */
  read(into: Uint8Array): number | null;
  /** Closes the descriptor; the next read opens the file again. */
  close(): void;
}

/**
 * Descriptors stay open between reads, which saves more than half of the time, up to a limit: at most
 * half of what this process may have. That of an ended process never refers to a new process with the same number.
 */
export function createShortFiles(limit: () => number = descriptorLimit): (file: string) => ShortFile {
  let most: number | null = null;
  let openCount = 0;
  return (file) => {
    let descriptor: number | null = null;
    const close = () => {
      if (descriptor === null) return;
      fs.closeSync(descriptor);
      descriptor = null;
      openCount -= 1;
    };
    return {
      read(into) {
        most ??= Math.floor(limit() / 2);
        try {
          if (descriptor === null) {
            if (openCount >= most) return readOnce(file, into);
            descriptor = fs.openSync(file, 'r');
            openCount += 1;
          }
          return fs.readSync(descriptor, into, 0, into.length, 0);
        } catch {
          close();
          return null;
        }
      },
      close,
    };
  };
}

function readOnce(file: string, into: Uint8Array): number {
  const descriptor = fs.openSync(file, 'r');
  try {
    return fs.readSync(descriptor, into, 0, into.length, 0);
  } finally {
    fs.closeSync(descriptor);
  }
}

/** The runtime has raised the soft limit to the hard one by now. */
function descriptorLimit(): number {
  try {
    const soft = /^Max open files +(\S+)/m.exec(fs.readFileSync('/proc/self/limits', 'utf8'))?.[1];
    if (soft === 'unlimited') return Number.POSITIVE_INFINITY;
    return Number(soft ?? customaryLimit);
  } catch {
    return customaryLimit;
  }
}

const customaryLimit = 1024;

/** 12345 of `12345\n` and of `usage_usec 12345\n…`. */
export function firstNumber(bytes: Uint8Array, length: number): number | null {
  let at = 0;
  while (at < length && !isDigit(bytes[at])) at += 1;
  const first = at;
  let value = 0;
  for (; at < length && isDigit(bytes[at]); at += 1) value = value * 10 + (bytes[at] ?? 0) - 0x30;
  return at === first ? null : value;
}

const isDigit = (byte: number | undefined) => byte !== undefined && byte >= 0x30 && byte <= 0x39;
