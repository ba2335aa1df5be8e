/** One line that is safe to show, of text that anybody may have chosen: no control characters, no marks that turn it around, not endless. */
export function shownText(text: string, most: number): string {
  // What is cut off need not be looked at: a character has two units at most, and some of them vanish.
  const beginning = text.slice(0, 4 * most).toWellFormed();
  const characters = [...beginning.replace(turning, '').replace(unshowable, '\ufffd')];
  const whole = characters.length <= most && text.length <= 4 * most;
  return whole ? characters.join('') : `${characters.slice(0, most - 1).join('')}…`;
}

const unshowable = /[\p{Cc}\u2028\u2029]/gu;
const turning = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;
