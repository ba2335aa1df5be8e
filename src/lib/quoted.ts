/**
 * Text that a caller or another program chose, whole and in quotes, for a sentence that a user has to judge. Characters that cannot be seen are
 * written as numbers, because they are part of the value. A sanitiser that removes such characters leaves the result as it is.
 */
export const quoted = (text: string) =>
  JSON.stringify(text).replace(unseen, (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`);

/**
 * Controls, format characters, unassigned code points, fillers, line separators, every space that is not a single ordinary one, and the symbols
 * and letters whose glyph is empty: object replacement, Braille and Egyptian blanks, the Khitan filler, the musical null notehead.
 */
const unseen =
  /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\ufffc\u2800\u{13441}\u{13442}\u{16fe4}\u{1d159}]|(?! )\p{Zs}|(?<= ) /gu;

/** One word of a command line that a user may copy. */
export const shellQuoted = (text: string) =>
  /^[\w/.@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`;
