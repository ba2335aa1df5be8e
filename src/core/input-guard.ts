import { ServiceError } from '../lib/errors.ts';
import type { ActionParts } from './action.ts';
import { refuseWhilePaused } from './control-pause.ts';

type GuardParts = Pick<ActionParts, 'controlPause' | 'prompts'>;

/**
 * Called before keys or the pointer do something, and again when a queued one runs, because the state may have changed since. Prompts of
 * Hostler are for the user at the screen: a token that could press Allow would grant its own requests.
 */
export function refuseInput({ controlPause, prompts }: GuardParts): void {
  refuseWhilePaused(controlPause, { effect: 'disrupt' });
  if (isAsked(prompts))
    throw new ServiceError(
      'conflict',
      'A permission prompt of Hostler is open: keyboard and pointer input is blocked until the user answers it. Try again later',
    );
}

/** Calls back, with the reason, when keys and the pointer have to stop. Returns the function that stops it. */
export function onInputStop({ controlPause, prompts }: GuardParts, stopNow: (why: string) => void): () => void {
  const stops = [
    controlPause.onChange(() => {
      if (controlPause.current() !== null) stopNow('Control was paused');
    }),
    prompts?.onChange(() => {
      if (isAsked(prompts)) stopNow('A permission prompt of Hostler is open');
    }),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}

const isAsked = (prompts: GuardParts['prompts']) => (prompts?.current() ?? null) !== null;
