import path from 'node:path';
import type { Host } from '../host/host.ts';
import { readBlock, type SampleBlock, writeBlock } from './block.ts';

const longBytes = 512 * 1024;
/** A journal that cannot be moved to the database must not fill the disk. */
const mostBytes = 8 * 1024 * 1024;

export type Journal = ReturnType<typeof openJournal>;

/**
 * Recorded blocks that are not in the database yet, one line each. Adding one neither waits for the disk nor needs the database,
 * whose code alone takes 3 MiB; a power cut damages one line only.
 */
export function openJournal({ storage, paths }: Pick<Host, 'storage' | 'paths'>) {
  const file = path.join(paths.state, 'history.journal');
  /** The file being transferred: new lines go to another file meanwhile. */
  const taken = `${file}.taken`;
  const left = storage.read(file) ?? '';
  let bytes = left.length;
  // A damaged line must not corrupt the next one.
  if (left !== '' && !left.endsWith('\n')) storage.append(file, '', mostBytes);
  return {
    add(block: SampleBlock) {
      const line = writeBlock(block);
      storage.append(file, line, mostBytes);
      bytes += line.length;
    },
    /** Whether it should be moved to the database without a request. */
    isLong: () => bytes > longBytes,
    isEmpty: () => storage.signature(file) === null && storage.signature(taken) === null,
    /** Passes on all blocks. They are removed when the callback returns, and passed on again if it throws. */
    takeIn<T>(work: (blocks: SampleBlock[]) => T): T {
      // The file of an earlier attempt, or of a killed process, comes first.
      if (storage.signature(taken) === null && storage.signature(file) !== null) {
        storage.rename(file, taken);
        bytes = 0;
      }
      const lines = storage.read(taken)?.split('\n') ?? [];
      const done = work(lines.flatMap((line) => readBlock(line) ?? []));
      storage.remove(taken);
      return done;
    },
  };
}
