/**
 * Text that a caller or another program chose, whole and in quotes, for a sentence that a user has to judge. Characters that cannot be seen are
 * written as numbers, because they are part of the value; so are those that look like another value (decomposed letters), and marks drawn over
 * the words around them. A sanitiser that removes or composes such characters leaves the result as it is.
 */
export const quoted = (text: string) => {
  const shown = JSON.stringify(text).replace(unseen, asNumber).replace(strayMarks, allAsNumbers);
  return shown === shown.normalize('NFC') ? shown : shown.replace(composable, asComposed);
};

const asNumber = (character: string) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`;
const allAsNumbers = (characters: string) => Array.from(characters, asNumber).join('');
const asComposed = (character: string) =>
  parts.test(character) || character !== character.normalize('NFC') ? asNumber(character) : character;

/** Marks without a letter, those that enclose or cross it out, and those beyond what a script stacks on one letter. */
export const strayMarks =
  /(?<![\p{L}\p{N}\p{M}])\p{M}+|\p{Me}|[\u0334-\u0338]|[\u20d2\u20d3\u20d8-\u20da\u20e5-\u20eb]|(?<=\p{M}{4})\p{M}+/gu;

/** What NFC can change: marks, the letters of Hangul, and single characters with another form. */
const parts = /[\p{M}\u1100-\u11ff\ua960-\ua97f\ud7b0-\ud7ff]/u;
const composable = /[^ -~]/gu;

/**
 * Controls, format characters, unassigned code points, fillers, line separators, every space that is not a single ordinary one, and the symbols
 * and letters whose glyph is empty: object replacement, Braille and Egyptian blanks, the Khitan filler, the musical null notehead.
 */
const unseen =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufffc\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]|(?! )\p{Zs}|(?<= ) /gu;

/** One word of a command line that a user may copy. */
export const shellQuoted = (text: string) =>
  /^[\w/.@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
