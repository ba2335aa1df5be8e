import type { Clock } from '../../lib/clock.ts';

/** Whoever can publish could fill the log: the same sentence is written once in this time, and no more than so many. */
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
    write(said.size > most ? 'mqtt: more of this is not written for a while' : sentence);
  };
}
