import { type ActionContext, type ActionParts, defineAction } from '../../core/action.ts';
import { defineFeature } from '../../core/feature.ts';
import { messageOf } from '../../lib/errors.ts';
import { agentUseOf, cancelUse } from './power.agent.ts';
import { powerCommandsOf } from './power.commands.ts';
import { controlOf } from './power.control.ts';
import { createPower, type Power } from './power.schedule.ts';
import { scopesFor, type Verb, verbs, words } from './power.verbs.ts';

const output = async () => (await import('./power.schema.ts')).powerOutputSchema;

/** One for all verbs, because there is one machine. */
const keptPower = (parts: ActionParts): Power => createPower(parts);
const powerOf = ({ keep }: ActionContext) => keep(keptPower);

const powerAction = (verb: Verb) =>
  defineAction({
    name: `power.${verb}`,
    description: words[verb].description,
    will: words[verb].will,
    input: async () => (await import('./power.schema.ts')).powerInputSchema,
    output,
    scopes: scopesFor(verb),
    effect: 'disrupt',
    example: { delay: 60 },
    wire: { event: `POWER_${verb.toUpperCase()}`, reply: words[verb].reply },
    agent: agentUseOf(verb),
    entities: async () => (await import('./power.controls.ts')).powerEntities(verb),
    fromStart: keptPower,
    async unavailable({ host }) {
      try {
        // An inhibiting program does not make the action unavailable.
        await (await controlOf(host, verb)).check({ force: true });
        return null;
      } catch (error) {
        return messageOf(error);
      }
    },
    run: async (input, context) => await powerOf(context).order(verb, input, context.caller),
  });

const cancel = defineAction({
  name: 'power.cancel',
  description: 'Cancels the pending power order',
  input: async () => (await import('./power.schema.ts')).powerCancelInputSchema,
  output,
  // The narrower scope is for a pending lock; the rest is checked once the pending order is known.
  scopes: ['power', 'control'],
  effect: 'write',
  duringPause: true,
  example: {},
  wire: { event: 'POWER_CANCEL', reply: 'POWER_CANCELLED' },
  agent: cancelUse,
  entities: async () => (await import('./power.controls.ts')).cancelEntities(keptPower),
  unavailable: async () => null,
  run: async (_input, context) => powerOf(context).cancel(context.caller),
});

const powerPending = defineAction({
  name: 'power.pending',
  description: 'Returns the pending power order and its time',
  input: async () => (await import('./power.schema.ts')).powerCancelInputSchema,
  output: async () => (await import('./power.schema.ts')).powerPendingSchema,
  scopes: ['read', 'power', 'control'],
  effect: 'read',
  readAt: '/api/power/pending',
  example: {},
  wire: { event: 'GET_POWER_PENDING', reply: 'POWER_PENDING' },
  unavailable: async () => null,
  async run(_input, context) {
    const waiting = powerOf(context).pending();
    if (waiting === null) return { message: '', data: { pending: null } };
    const { verb, at, by } = waiting;
    return { message: '', data: { pending: { action: verb, at: new Date(at).toISOString(), token: by.token } } };
  },
});

/** The orders; each is a command as well. */
export const powerActions = [...verbs.map(powerAction), cancel];

export const powerFeature = defineFeature({
  name: 'power',
  title: 'Power',
  actions: [...powerActions, powerPending],
  scopes: {
    power: {
      description: 'sleep, hibernate, restart, shut down, log out',
      label: 'control power',
      after: 'clipboard',
      gravity: 50,
    },
  },
  commands: powerCommandsOf(powerActions),
});

declare module '../../access/scopes.ts' {
  interface FeatureScopes {
    power: true;
  }
}
