import { defineAction } from '../../core/action.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PowerInput, PowerOutput } from './power.schema.ts';

const verbs = {
  sleep: 'Sends the machine to sleep',
  hibernate: 'Hibernates the machine',
  restart: 'Restarts the machine',
  shutdown: 'Shuts the machine down',
  lock: 'Locks the session of the user',
  logout: 'Logs the user out',
} as const;

type Verb = keyof typeof verbs;

/** Replies of the WebSocket say what happens now. */
const replies: Record<Verb, string> = {
  sleep: 'POWER_SLEEPING',
  hibernate: 'POWER_HIBERNATING',
  restart: 'POWER_RESTARTING',
  shutdown: 'POWER_SHUTTINGDOWN',
  lock: 'POWER_LOCKING',
  logout: 'POWER_LOGGINGOUT',
};

const output = async () => (await import('./power.schema.ts')).powerOutputSchema;

const missing = (name: string) => `${name} is not supported: this version has no power control yet`;

const powerAction = (verb: Verb, description: string) =>
  defineAction<PowerInput, PowerOutput>({
    name: `power.${verb}`,
    description,
    input: async () => (await import('./power.schema.ts')).powerInputSchema,
    output,
    scopes: verb === 'lock' ? ['control', 'power'] : ['power'],
    effect: 'disrupt',
    http: true,
    wire: { event: `POWER_${verb.toUpperCase()}`, reply: replies[verb] },
    unavailable: async () => missing(`power.${verb}`),
    async run() {
      throw new ServiceError('unsupported', missing(`power.${verb}`));
    },
  });

const cancel = defineAction<object, PowerOutput>({
  name: 'power.cancel',
  description: 'Cancels a power order that is still waiting',
  input: async () => (await import('./power.schema.ts')).powerCancelInputSchema,
  output,
  scopes: ['power'],
  effect: 'write',
  http: true,
  wire: { event: 'POWER_CANCEL', reply: 'POWER_CANCELLED' },
  unavailable: async () => missing('power.cancel'),
  async run() {
    throw new ServiceError('unsupported', missing('power.cancel'));
  },
});

export const powerActions = [
  powerAction('sleep', verbs.sleep),
  powerAction('hibernate', verbs.hibernate),
  powerAction('restart', verbs.restart),
  powerAction('shutdown', verbs.shutdown),
  powerAction('lock', verbs.lock),
  powerAction('logout', verbs.logout),
  cancel,
];
