import { stopAll } from '../lib/closing.ts';
import { ServiceError } from '../lib/errors.ts';
import type { ActionParts } from './action.ts';
import { refuseWhilePaused } from './control-pause.ts';

type GuardParts = Pick<ActionParts, 'controlPause' | 'prompts'>;

/**
 * Runs work that presses keys or moves the pointer; called when a queued one begins, because the state may have changed since. Prompts of
 * Hostler are for the user at the screen: a token that could press Allow would grant its own requests. A pairing prompt is closed instead, and
 * none is opened meanwhile: an unauthenticated client cannot delay input.
 */
export async function withInput<T>({ controlPause, prompts }: GuardParts, work: () => Promise<T>): Promise<T> {
  refuseWhilePaused(controlPause, { effect: 'disrupt' });
  const release = await prompts?.holdOff();
  try {
    refuseWhilePaused(controlPause, { effect: 'disrupt' });
    refuseWhileAsked(prompts, 'keyboard and pointer input is blocked');
    return await work();
  } finally {
    release?.();
  }
}

function refuseWhileAsked(prompts: GuardParts['prompts'], what: string): void {
  if (!isAsked(prompts)) return;
  throw new ServiceError(
    'conflict',
    `A permission prompt of Hostler is open: ${what} until the user answers it. Try again later`,
  );
}

/** Takes a picture of the screen that shows no prompt: neither one that is open, nor one that opened and closed meanwhile. */
export async function withoutPrompt<T>(prompts: GuardParts['prompts'], take: () => Promise<T>): Promise<T> {
  refuseWhileAsked(prompts, 'no pictures of the screen are taken');
  const before = prompts?.opened();
  const taken = await take();
  if (prompts?.opened() === before) return taken;
  throw new ServiceError(
    'conflict',
    'A permission prompt of Hostler opened while the picture was taken: it was not sent. Try again later',
  );
}

/** Calls back, with the reason, when keys and the pointer have to stop. Returns the function that stops it. */
export function onInputStop({ controlPause, prompts }: GuardParts, stopNow: (why: string) => void): () => void {
  return stopAll([
    controlPause.onChange(() => {
      if (controlPause.current() !== null) stopNow('Control was paused');
    }),
    prompts?.onChange(() => {
      if (prompts.current()?.yields !== true && isAsked(prompts)) stopNow('A permission prompt of Hostler is open');
    }) ?? (() => {}),
  ]);
}

const isAsked = (prompts: GuardParts['prompts']) => (prompts?.current() ?? null) !== null;
