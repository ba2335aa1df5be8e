import { ServiceError } from '../lib/errors.ts';
import type { ActionParts } from './action.ts';
import { refuseWhilePaused } from './control-pause.ts';

type GuardParts = Pick<ActionParts, 'controlPause' | 'questions'>;

/**
 * Before keys or the pointer do something. Asked again when the turn of one that waited has come: much may have happened since it was let in.
 * A question of ours is for whoever sits there: a token that could press its Allow would grant itself whatever it asks for.
 */
export function refuseInput({ controlPause, questions }: GuardParts): void {
  refuseWhilePaused(controlPause, { effect: 'disrupt' });
  if (isAsked(questions))
    throw new ServiceError(
      'conflict',
      'Hostler is asking the user a question at the screen: keys are not pressed and the pointer is not moved until it is answered. Try again after that',
    );
}

/** Calls back, with the reason, when keys and the pointer have to stop in the middle of what they do. Returns the way to stop listening. */
export function onInputStop({ controlPause, questions }: GuardParts, stopNow: (why: string) => void): () => void {
  const stops = [
    controlPause.onChange(() => {
      if (controlPause.current() !== null) stopNow('Control was paused');
    }),
    questions?.onChange(() => {
      if (isAsked(questions)) stopNow('Hostler has a question for the user at the screen');
    }),
  ];
  return () => {
    for (const stop of stops) stop?.();
  };
}

const isAsked = (questions: GuardParts['questions']) => (questions?.current() ?? null) !== null;
