/** What another program gets to hand over what it has put onto the clipboard. */
export interface ClipboardLimits {
  /** Without a word. */
  silentMs: number;
  /** For all of it. */
  wholeMs: number;
}

export const clipboardLimits: ClipboardLimits = { silentMs: 2000, wholeMs: 10_000 };

const owner = 'the program that owns the clipboard';

export const saysNothing = ({ silentMs }: ClipboardLimits = clipboardLimits) =>
  new Error(`${owner} did not answer within ${silentMs / 1000} s`);

export const needsTooLong = ({ wholeMs }: ClipboardLimits = clipboardLimits) =>
  new Error(`${owner} needs more than ${wholeMs / 1000} s to hand it over`);

/** As another program has handed it over. */
export interface CopiedBytes {
  bytes: Uint8Array;
  /** There is more of it than was wanted: this is how it begins. */
  isCut: boolean;
}
