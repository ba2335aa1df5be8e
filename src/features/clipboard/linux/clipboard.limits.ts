/** How long the owner of the clipboard may take to supply the content. */
export interface ClipboardLimits {
  /** Without any data. */
  silentMs: number;
  /** In total. */
  wholeMs: number;
}

export const clipboardLimits: ClipboardLimits = { silentMs: 2000, wholeMs: 10_000 };

const owner = 'the program that owns the clipboard';

export const silentOwner = () => new Error(`${owner} did not answer within ${clipboardLimits.silentMs / 1000} s`);

export const slowOwner = () => new Error(`${owner} needs more than ${clipboardLimits.wholeMs / 1000} s to supply it`);

export interface CopiedBytes {
  bytes: Uint8Array;
  /** `bytes` are only the beginning: the content exceeds the limit. */
  isCut: boolean;
}
