import path from 'node:path';
import type { Host } from '../host/host.ts';
import { readBlock, type SampleBlock, writeBlock } from './block.ts';

/**
 * What was recorded and is not in the database yet: a line for each block. Adding one neither waits for the disk nor needs the database,
 * whose code alone takes 3 MiB, and a line that a power cut tore costs itself only.
 */
export interface Journal {
  add(block: SampleBlock): void;
  /** Whether it should be taken into the database, though nobody asks. */
  isLong(): boolean;
  isEmpty(): boolean;
  /** All blocks so far. They are gone when the work returns; when it throws, they come again. */
  takeIn<T>(work: (blocks: SampleBlock[]) => T): T;
}

const longBytes = 512 * 1024;
/** What nobody can take in must not fill the disk either. */
const mostBytes = 8 * 1024 * 1024;

export function openJournal({ storage, paths }: Pick<Host, 'storage' | 'paths'>): Journal {
  const file = path.join(paths.state, 'history.journal');
  /** What is being taken in: new lines go to a file of their own meanwhile. */
  const taken = `${file}.taken`;
  const left = storage.read(file) ?? '';
  let bytes = left.length;
  // What a power cut tore must not take the next line with it.
  if (left !== '' && !left.endsWith('\n')) storage.append(file, '', mostBytes);
  return {
    add(block) {
      const line = writeBlock(block);
      storage.append(file, line, mostBytes);
      bytes += line.length;
    },
    isLong: () => bytes > longBytes,
    isEmpty: () => storage.signature(file) === null && storage.signature(taken) === null,
    takeIn(work) {
      // One of an earlier attempt, or of a process that was ended in the middle, comes first.
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
