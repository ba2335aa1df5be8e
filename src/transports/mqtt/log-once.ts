import type { Clock } from '../../lib/clock.ts';

/** Publishers could fill the log: a sentence is logged once in this time, and only so many different ones. */
const forgetAfterMs = 600_000;
const most = 50;

export function createLogOnce(
  clock: Pick<Clock, 'monotonic'>,
  write: (sentence: string) => void,
): (sentence: string) => void {
  let said = new Set<string>();
  let since = clock.monotonic();
  return (sentence) => {
    if (clock.monotonic() - since >= forgetAfterMs) {
      said = new Set();
      since = clock.monotonic();
    }
    if (said.has(sentence) || said.size > most) return;
    said.add(sentence);
    write(said.size > most ? 'mqtt: further messages of this kind are not logged for a while' : sentence);
  };
}
