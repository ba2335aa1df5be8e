/** What a platform implements. */
export interface Clipboard {
  /** null: there is a clipboard. */
  unavailable(): Promise<string | null>;
  /** Throws a ServiceError with a sentence where there is nothing of the kind, or where it is not to be seen. */
  read(wanted: ClipboardFormat | null, most: Record<ClipboardFormat, number>): Promise<Copied>;
  /** Until another program puts something there (`lost`), or the returned function is called. */
  hold(copied: Copied, lost: () => void): Promise<() => void>;
}

export type ClipboardFormat = 'text' | 'png';

/** Text is UTF-8. */
export interface Copied {
  format: ClipboardFormat;
  bytes: Uint8Array;
}
