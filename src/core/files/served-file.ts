/** An open file that passed every check. Reads come from the checked descriptor, whatever happens to its name meanwhile. */
export interface ServedFile {
  /** As it was requested; the last part of the path. */
  name: string;
  size: number;
  /** Unix milliseconds. */
  modifiedMs: number;
  /** Strong: it differs whenever the bytes may differ. With its quotes. */
  etag: string;
  contentType: string;
  /** A path under which the system opens this file again until it is closed; null: there is none. */
  descriptorPath: string | null;
  /**
   * Bytes from `start` up to `end`, fewer if the file has become shorter. Without `patient` it rejects with a ServiceError when the file
   * system does not respond in time.
   */
  read(start: number, end: number, patient?: boolean): Uint8Array<ArrayBuffer> | Promise<Uint8Array<ArrayBuffer>>;
  /** Reads in progress still complete; a second call does nothing. */
  close(): void;
}

/** Opens a file for sending. Rejects with a ServiceError that says why not. */
export type OpenServedFile = (base: string, path: string) => ServedFile | Promise<ServedFile>;
