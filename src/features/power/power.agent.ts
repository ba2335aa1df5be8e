import type { AgentTool, AgentUse } from '../../core/agent.ts';
import { quoted } from '../../lib/quoted.ts';
import type { PowerOutput } from './power.schema.ts';
import type { Verb } from './power.verbs.ts';

const schemas = () => import('./power.schema.ts');

const powerAction: AgentTool = {
  name: 'power_action',
  title: 'Power',
  description: 'Power orders, after a delay or at a time. Asks the user first.',
  input: async ({ choices }) => (await schemas()).powerActionInputSchema(choices),
  output: async () => (await schemas()).powerActionOutputSchema,
  destructive: true,
  idempotent: false,
  byDefault: true,
  everyMs: 10_000,
  prompt({ action, delay_seconds, at, reason }) {
    const why = typeof reason === 'string' && reason !== '' ? ` Its reason: ${quoted(reason)}` : '';
    return `An agent wants to ${wishes[String(action)] ?? String(action)} ${whenOf(delay_seconds, at)}.${why}`;
  },
};

const usualDelay = 30;

const whenOf = (delay: unknown, at: unknown) =>
  typeof at === 'string' ? `at ${quoted(at)}` : `in ${Number(delay ?? usualDelay)} s`;

const wishes: Record<string, string> = {
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

/** Inhibitors are respected: agents cannot force anything. */
export const agentUseOf = (verb: Verb): AgentUse<PowerOutput> =>
  verb === 'lock'
    ? { tool: lockSession, toInput: () => ({}), toOutput: ({ message }) => ({ locked: true, message }) }
    : {
        tool: powerAction,
        choice: verb,
        toInput: ({ delay_seconds, at }) => ({
          delay: delay_seconds ?? (at === undefined ? usualDelay : undefined),
          at,
        }),
        toOutput: ({ data }) => ({ scheduled: data.action, at: data.at }),
      };

export const cancelUse: AgentUse<PowerOutput> = {
  tool: cancelPower,
  toInput: () => ({}),
  toOutput: ({ data }) => ({ cancelled: data.action }),
};
