import fs from 'node:fs';

/** A short file that is read often and in one go, such as those of a process in /proc, of which there are thousands. */
export interface ShortFile {
  /** Reads from the beginning into memory of the caller; how many bytes there were. null: not there, not readable, or gone with its process. */
  read(into: Uint8Array): number | null;
  /** Gives the descriptor back; reading on opens the file of that name anew. */
  close(): void;
}

/**
 * Descriptors stay open between reads, which saves more than half of the time, as long as there are enough of them: at most
 * half of what this process may have. One of a process that ended never leads to another of the same number.
 */
export function createShortFiles(limit: () => number = descriptorLimit): (file: string) => ShortFile {
  let most: number | null = null;
  let kept = 0;
  return (file) => {
    let descriptor: number | null = null;
    const close = () => {
      if (descriptor === null) return;
      fs.closeSync(descriptor);
      descriptor = null;
      kept -= 1;
    };
    return {
      read(into) {
        most ??= Math.floor(limit() / 2);
        try {
          if (descriptor === null) {
            if (kept >= most) return readOnce(file, into);
            descriptor = fs.openSync(file, 'r');
            kept += 1;
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
