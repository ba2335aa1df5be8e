import { shownText } from '../lib/printable-text.ts';

const longest = 300;

/** Text of a machine that is not trusted yet: one short line without invisible characters, for a place that names its origin. */
export const remoteLine = (text: string): string => shownText(text.replace(unseen, ' ').trim(), longest);

/** The same in quotes, for our own sentences. The text cannot close the quotes. */
export const remoteQuote = (text: string): string => `“${remoteLine(text).replace(/[“”„‟]/g, '"')}”`;

/** Controls, line ends, fillers and every run of spaces: they would move the rest of the text to its own line. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800\s]+/gu;
