import { ServiceError } from '../../lib/errors.ts';
import { ownCommand } from '../../lib/own-command.ts';

const byHand = `Run "${ownCommand('pair')}" on the machine itself, and enter the code it prints`;

export const pairingOff = 'Pairing is switched off on this machine (pairing.enabled in the settings)';

export const promptIsOpen = () =>
  new ServiceError('conflict', `A permission prompt for another device is open. Try again later, or: ${byHand}`);

export const tooSoon = (seconds: number) =>
  new ServiceError(
    'rate_limited',
    `The user denied an earlier request; the wait before the next prompt grows each time. ${byHand}.`,
    { retryAfterSeconds: seconds },
  );

export const unanswered = () =>
  `The permission prompt was not answered in time. Answer it at the screen of the machine or with "${ownCommand('approve')}" there, or: ${byHand}`;

export const unknownRequest = () =>
  new ServiceError(
    'not_found',
    'This request is unknown: it was answered, was withdrawn or has expired, or the service was restarted. Send it again',
  );
