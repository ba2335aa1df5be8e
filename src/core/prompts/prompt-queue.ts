import { ServiceError } from '../../lib/errors.ts';
import type { AskUser } from '../agent.ts';

/**
 * One prompt on the screen at a time, whatever it is for: a user who reads one must not press Allow for another. A second one is refused
 * and never replaces the first, which counts as open until it is closed.
 */
export function onePromptAtATime(askUser: AskUser): AskUser {
  let onScreen = false;
  return async (prompt, signal) => {
    if (onScreen) throw anotherPrompt();
    onScreen = true;
    try {
      return await askUser(prompt, signal);
    } finally {
      onScreen = false;
    }
  };
}

const anotherPrompt = () =>
  new ServiceError('conflict', 'Another permission prompt is open: wait until the user has answered it');
