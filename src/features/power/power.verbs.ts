import type { Scope } from '../../access/scopes.ts';

export const verbs = ['sleep', 'hibernate', 'restart', 'shutdown', 'lock', 'logout'] as const;

export type Verb = (typeof verbs)[number];

/** Any one of these is enough to order it. */
export const scopesFor = (verb: Verb): readonly Scope[] => (verb === 'lock' ? ['control', 'power'] : ['power']);

interface Words {
  description: string;
  /** Reply type on the WebSocket, in the present tense: POWER_RESTARTING. */
  reply: string;
  /** Shown while the order is pending, in the response and on the screen. */
  will: string;
  /** Shown on the screen when it was due and could not be carried out. */
  failed: string;
}

export const words: Record<Verb, Words> = {
  sleep: {
    description: 'Puts the machine to sleep',
    reply: 'POWER_SLEEPING',
    will: 'The machine will go to sleep',
    failed: 'The machine could not go to sleep',
  },
  hibernate: {
    description: 'Hibernates the machine',
    reply: 'POWER_HIBERNATING',
    will: 'The machine will hibernate',
    failed: 'The machine could not hibernate',
  },
  restart: {
    description: 'Restarts the machine',
    reply: 'POWER_RESTARTING',
    will: 'The machine will restart',
    failed: 'The machine could not restart',
  },
  shutdown: {
    description: 'Shuts the machine down',
    reply: 'POWER_SHUTTINGDOWN',
    will: 'The machine will shut down',
    failed: 'The machine could not shut down',
  },
  lock: {
    description: "Locks the user's session",
    reply: 'POWER_LOCKING',
    will: 'The session will be locked',
    failed: 'The session could not be locked',
  },
  logout: {
    description: 'Logs the user out',
    reply: 'POWER_LOGGINGOUT',
    will: 'The user will be logged out',
    failed: 'The user could not be logged out',
  },
};
