import { ServiceError } from '../../lib/errors.ts';
import { clientPaces, createPauses } from '../../lib/prompt-backoff.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { safeLine } from './calls.sanitise.ts';
import { createClientPrompts } from './consent.client-prompt.ts';
import {
  createUserPrompts,
  denied,
  type UserPromptParts,
  type Verdict,
  type WantedCall,
} from './consent.user-prompt.ts';

export interface ConsentParts extends Omit<UserPromptParts, 'refused'> {
  settings(): Settings;
}

/** What a notification has room for: characters and lines. The dashboard and the command line show the same text. */
export const promptRoom = { characters: 500, lines: 6 };

/** The sanitised text of a prompt. Throws where it does not fit whole: the user must not agree to a value that is not shown. */
export function promptText(tool: string, prompt: string): string {
  const { characters, lines } = promptRoom;
  const given = prompt.split('\n');
  const text = prompt.length > characters ? prompt : given.map((line) => safeLine(line)).join('\n');
  if (text.length <= characters && given.length <= lines) return text;
  throw new ServiceError(
    'too_large',
    `The user has to agree to ${tool} and cannot be shown all of it: a prompt holds ${characters} characters in ${lines} lines, and this one needs ${text.length} in ${given.length}. Use shorter values`,
  );
}

export type Consent = ReturnType<typeof createConsent>;

/** The user's consent. The agent's claim is never enough, nor is that of its client unless the settings trust it. */
export function createConsent({ askUser, settings, clock, changed }: ConsentParts) {
  const pauses = createPauses(clientPaces, clock.monotonic);
  const ofClient = createClientPrompts(clock.monotonic);
  const ofUser = createUserPrompts({ askUser, clock, changed, refused: pauses.note });

  return {
    ...ofUser,
    /** The content of a prompt's state that a client returned. Throws if it was not given out for this method and caller. */
    open: ofClient.open,
    /** Throws without a decision: another prompt is already shown, or there were too many. */
    async ask(wanted: WantedCall): Promise<Verdict> {
      const { tokenId } = wanted.caller;
      const answer = ofClient.answer(wanted);
      if (answer === false) {
        pauses.note(tokenId);
        return { refused: denied(wanted.tool) };
      }
      const trusted = settings().mcp.trustClientConfirmation;
      if (answer === true && trusted) return { agreed: 'client' };
      // The prompt of this call is open, or was answered.
      if (ofUser.knows(wanted)) return await ofUser.ask(wanted);
      const wait = pauses.refuse(tokenId);
      if (wait !== null) throw tooSoon(wait);
      // If the setting was revoked meanwhile, the client's answer does not count.
      if (answer === null && trusted && wanted.canElicit) return { passedOn: ofClient.passOn(wanted) };
      return await ofUser.ask(wanted);
    },
  };
}

const tooSoon = (seconds: number) =>
  new ServiceError(
    'rate_limited',
    'The user was asked before and did not agree. The pause before the next prompt grows each time.',
    { retryAfterSeconds: seconds },
  );
