import { ServiceError } from '../../lib/errors.ts';
import type { AskUser } from '../agent.ts';

/**
 * One question on the screen for all who ask, whatever they ask for: whoever reads one must not press Allow for another. A second one is
 * refused, and never takes the place of the first, which counts as on the screen until it is off it.
 */
export function oneQuestionAtATime(askUser: AskUser): AskUser {
  let onScreen = false;
  return async (question, signal) => {
    if (onScreen) throw anotherQuestion();
    onScreen = true;
    try {
      return await askUser(question, signal);
    } finally {
      onScreen = false;
    }
  };
}

const anotherQuestion = () =>
  new ServiceError('conflict', 'The user is being asked something else at the moment: wait until that is answered');
