/**
 * Text that a caller or another program chose, in quotes, for a sentence that a user has to judge. Characters that cannot be seen are written
 * as numbers, because they are part of the value. A sanitiser that removes such characters leaves the result as it is.
 */
export function quoted(text: string, most = 200): string {
  const shown = JSON.stringify(text).replace(
    unseen,
    (character) => `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
  return cutVisibly(shown, most);
}

/** States how much is missing, so that a long value cannot pass for its beginning. */
export function cutVisibly(text: string, most: number): string {
  if (text.length <= most) return text;
  const shown = text.slice(0, most).replace(/[\ud800-\udbff]$/, '');
  return `${shown}… (and ${text.length - shown.length} more characters)`;
}

/** Controls, format characters, unassigned code points, fillers, line separators, and every space that is not a single ordinary one. */
const unseen = /[\p{C}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]|(?! )\p{Zs}|(?<= ) /gu;
