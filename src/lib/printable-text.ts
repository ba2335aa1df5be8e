/** Untrusted text as one line that is safe to show: no control characters, no direction marks, limited length. */
export function shownText(text: string, most: number): string {
  // Scan only what can remain: a character has at most two code units, and some are removed.
  const beginning = text.slice(0, 4 * most).toWellFormed();
  const characters = [...beginning.replace(turning, '').replace(unshowable, '\ufffd')];
  const whole = characters.length <= most && text.length <= 4 * most;
  return whole ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}

const unshowable = /[\p{Cc}\u2028\u2029]/gu;
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
