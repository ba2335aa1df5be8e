/** Control characters, and those that turn the direction of everything after them. */
const harmful = /[\p{Cc}\p{Cs}\u200e\u200f\u061c\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu;

/** What an engine, or whoever named a container, wrote: short, on one line, and without characters that do something to what is around them. */
export function foreignText(text: string, longest: number): string {
  return text.slice(0, longest).replace(harmful, '\ufffd').trim();
}
