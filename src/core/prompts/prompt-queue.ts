import { ServiceError } from '../../lib/errors.ts';
import type { AskUser } from '../agent.ts';

/**
 * One prompt at a time, whatever it is for: a user who reads one must not press Allow for another. A second one is refused
 * and never replaces the first, which counts as open until it is closed.
 */
export function onePromptAtATime(askUser: AskUser): AskUser {
  let isOpen = false;
  return async (prompt, signal, answered) => {
    if (isOpen) throw anotherPrompt();
    isOpen = true;
    try {
      return await askUser(prompt, signal, answered);
    } finally {
      isOpen = false;
    }
  };
}

const anotherPrompt = () =>
  new ServiceError('conflict', 'Another permission prompt is open: wait until the user has answered it');
