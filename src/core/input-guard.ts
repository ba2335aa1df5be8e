import type { ActionParts } from './action.ts';
import { refuseWhilePaused } from './control-pause.ts';

type GuardParts = Pick<ActionParts, 'controlPause'>;

/** Before keys or the pointer do something. Asked again when the turn of one that waited has come: much may have happened since it was let in. */
export function refuseInput({ controlPause }: GuardParts): void {
  refuseWhilePaused(controlPause, { effect: 'disrupt' });
}

/** Calls back, with the reason, when keys and the pointer have to stop in the middle of what they do. Returns the way to stop listening. */
export function onInputStop({ controlPause }: GuardParts, stopNow: (why: string) => void): () => void {
  return controlPause.onChange(() => {
    if (controlPause.current() !== null) stopNow('Control was paused');
  });
}
