import { defineAction } from '../../core/action.ts';
import { ServiceError } from '../../core/errors.ts';
import type { PowerInput } from './power.schema.ts';

const verbs = {
  sleep: 'Sends the machine to sleep',
  hibernate: 'Hibernates the machine',
  restart: 'Restarts the machine',
  shutdown: 'Shuts the machine down',
  lock: 'Locks the session of the user',
  logout: 'Logs the user out',
} as const;

type Verb = keyof typeof verbs;

const missing = (name: string) => `${name} is not supported: this version has no power control yet`;

const powerAction = (verb: Verb, description: string) =>
  defineAction<PowerInput>({
    name: `power.${verb}`,
    description,
    input: async () => (await import('./power.schema.ts')).powerInputSchema,
    scope: verb === 'lock' ? 'control' : 'power',
    effect: 'disrupt',
    http: true,
    unavailable: async () => missing(`power.${verb}`),
    async run() {
      throw new ServiceError('unsupported', missing(`power.${verb}`));
    },
  });

const cancel = defineAction<object>({
  name: 'power.cancel',
  description: 'Cancels a power order that is still waiting',
  input: async () => (await import('./power.schema.ts')).powerCancelInputSchema,
  scope: 'power',
  effect: 'write',
  http: true,
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
