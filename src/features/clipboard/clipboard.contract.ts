export interface Clipboard {
  /** null: available. */
  unavailable(): Promise<string | null>;
  /** Throws a ServiceError if the format is not on the clipboard, or the content is marked as a secret. */
  read(wanted: ClipboardFormat | null, most: Record<ClipboardFormat, number>): Promise<Copied>;
  /** Owns the clipboard until another program does (`lost`), or the returned function is called. */
  hold(copied: Copied, lost: () => void): Promise<() => void>;
}

export type ClipboardFormat = 'text' | 'png';

/** Text is UTF-8. */
export interface Copied {
  format: ClipboardFormat;
  bytes: Uint8Array;
}
