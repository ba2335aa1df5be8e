import type { AgentTool, AgentUse } from '../../core/agent.ts';
import type { PowerOutput } from './power.schema.ts';
import type { Verb } from './power.verbs.ts';

const schemas = () => import('./power.schema.ts');

const powerAction: AgentTool = {
  name: 'power_action',
  title: 'Power',
  description:
    'Sleeps, hibernates, restarts, shuts down or logs out, after a delay. Asks the user of the machine first.',
  input: async ({ choices }) => (await schemas()).powerActionInputSchema(choices),
  output: async () => (await schemas()).powerActionOutputSchema,
  destructive: true,
  idempotent: false,
  byDefault: true,
  everyMs: 10_000,
  question({ action, delay_seconds, reason }) {
    const why = typeof reason === 'string' && reason !== '' ? ` Its reason: ${JSON.stringify(reason)}` : '';
    return `An agent wants to ${questions[String(action)] ?? String(action)} in ${Number(delay_seconds)} s.${why}`;
  },
};

const questions: Record<string, string> = {
  sleep: 'put this machine to sleep',
  hibernate: 'hibernate this machine',
  restart: 'restart this machine',
  shutdown: 'shut this machine down',
  logout: 'log you out',
};

const lockSession: AgentTool = {
  name: 'lock_session',
  title: 'Lock the session',
  description: "Locks the user's screen.",
  input: async () => (await schemas()).agentNoInputSchema,
  output: async () => (await schemas()).lockedOutputSchema,
  destructive: false,
  idempotent: true,
  byDefault: true,
  everyMs: 5000,
};

const cancelPower: AgentTool = {
  name: 'cancel_power',
  title: 'Cancel a power action',
  description: 'Cancels a pending power_action.',
  input: async () => (await schemas()).agentNoInputSchema,
  output: async () => (await schemas()).cancelledOutputSchema,
  destructive: false,
  idempotent: true,
  byDefault: true,
};

/** Programs that ask not to are listened to: agents cannot force anything. */
export const agentUseOf = (verb: Verb): AgentUse<PowerOutput> =>
  verb === 'lock'
    ? { tool: lockSession, toInput: () => ({}), toOutput: ({ message }) => ({ locked: true, message }) }
    : {
        tool: powerAction,
        choice: verb,
        toInput: ({ delay_seconds }) => ({ delay: delay_seconds }),
        toOutput: ({ data }) => ({ scheduled: data.action, at: data.at }),
      };

export const cancelUse: AgentUse<PowerOutput> = {
  tool: cancelPower,
  toInput: () => ({}),
  toOutput: ({ data }) => ({ cancelled: data.action }),
};
