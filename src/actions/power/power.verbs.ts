export const verbs = ['sleep', 'hibernate', 'restart', 'shutdown', 'lock', 'logout'] as const;

export type Verb = (typeof verbs)[number];

interface Words {
  description: string;
  /** Type of the WebSocket's reply: it says what happens now. */
  reply: string;
  /** After "The machine" or "The session". */
  will: string;
}

export const words: Record<Verb, Words> = {
  sleep: { description: 'Sends the machine to sleep', reply: 'POWER_SLEEPING', will: 'The machine goes to sleep' },
  hibernate: { description: 'Hibernates the machine', reply: 'POWER_HIBERNATING', will: 'The machine hibernates' },
  restart: { description: 'Restarts the machine', reply: 'POWER_RESTARTING', will: 'The machine restarts' },
  shutdown: { description: 'Shuts the machine down', reply: 'POWER_SHUTTINGDOWN', will: 'The machine shuts down' },
  lock: { description: 'Locks the session of the user', reply: 'POWER_LOCKING', will: 'The session is locked' },
  logout: { description: 'Logs the user out', reply: 'POWER_LOGGINGOUT', will: 'The user is logged out' },
};
