import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';

const byHand = `Run "${ownCommand('pair')}" on the machine itself, and enter the code it prints`;

export const promptIsOpen = () =>
  new ServiceError(
    'conflict',
    `The user is being asked about another device at the moment. Try again later, or: ${byHand}`,
  );

export const tooSoon = (seconds: number) =>
  new ServiceError(
    'rate_limited',
    `The user was asked before and did not agree; the pause before the next question grows each time. ${byHand}.`,
    { retryAfterSeconds: seconds },
  );

export const cannotAsk = (reason: string) =>
  new ServiceError('forbidden', `The user could not be asked at the screen of this machine: ${reason}. ${byHand}`);

export const unknownRequest = () =>
  new ServiceError(
    'not_found',
    'This request is unknown: it was answered, withdrawn or ran out, or the service was restarted. Ask again',
  );
