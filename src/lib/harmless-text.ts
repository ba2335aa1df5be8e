/**
 * Names of processes, files and songs come from outside: wherever they are printed, they neither steer the terminal nor reverse the words
 * around them. Written as JSON has it, so that JSON stays the same value. Line ends and tabs are our own.
 */
export function harmless(text: string): string {
  return text.replace(steering, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** Controls but tab and line end; marks, embeddings, overrides and isolates of direction; separators; deprecated formatting. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const steering = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u206f\ufff9-\ufffb]/g;
