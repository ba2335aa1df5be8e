import type { Later } from '../../lib/later.ts';

/** A file that passed every check, open. What was checked is what is read from it, whatever happens to its name meanwhile. */
export interface ServedFile {
  /** As it was asked for; the last part of the path. */
  name: string;
  size: number;
  /** Unix milliseconds. */
  modifiedMs: number;
  /** Strong: another one whenever the bytes may be others. With its quotes. */
  etag: string;
  contentType: string;
  /** A path under which the system opens this very file again as long as it is not closed; null where there is none. */
  descriptorPath: string | null;
  /**
   * Bytes from `start` up to `end`, fewer where the file has become shorter. Later where the file may be out of reach; whoever is not
   * patient gets a ServiceError when it takes too long.
   */
  read(start: number, end: number, patient?: boolean): Later<Uint8Array<ArrayBuffer>>;
  /** Whoever opened it closes it; what is being read is still answered, and a second time does nothing. */
  close(): void;
}

/** Opens a file for being sent. Throws, or rejects with, a ServiceError that says why not. */
export type OpenServedFile = (base: string, path: string) => Later<ServedFile>;
