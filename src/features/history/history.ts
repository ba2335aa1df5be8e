import { type ActionContext, defineAction } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { defineFeature } from '../../core/feature.ts';
import { createJobQueue } from '../../core/job-queue.ts';
import { keepJson } from '../../core/json/prepared-json.ts';
import type { HistoryQuery, HistoryResult } from '../../core/readings/history.ts';
import { parseMoment, parseSpan } from '../../lib/durations.ts';
import { ServiceError } from '../../lib/errors.ts';
import { historyCommands } from './history.commands.ts';
import type { HistoryInput } from './history.schema.ts';

export const historyGet = defineAction<HistoryInput, HistoryResult>({
  name: 'history.get',
  description: 'Returns values, the busiest processes and events of a period',
  input: async () => (await import('./history.schema.ts')).historyInputSchema,
  output: async () => (await import('./history.schema.ts')).historySchema,
  scopes: ['read'],
  effect: 'read',
  readAt: '/api/history',
  example: { series: 'cpu,memory', last: '1h' },
  wire: { event: 'GET_HISTORY', reply: 'HISTORY' },
  unavailable: async () => null,
  async run(input, { history, host, keep, caller, signal }) {
    const query = toQuery(input, host.clock.now());
    const queue = await keep(createHistoryQueue);
    const data = await queue.run(JSON.stringify(query), { tokenId: shareIdOf(caller), signal }, async () => {
      // Other work runs before each answer: a long one takes up to 60 ms.
      await new Promise<void>((resolve) => void host.clock.after(0, resolve));
      return keepJson(await history.read(query));
    });
    return { message: '', data };
  },
});

const createHistoryQueue = async ({ budgets }: Pick<ActionContext, 'budgets'>) =>
  createJobQueue<HistoryResult>({
    atOnce: 1,
    inAll: budgets.all.histories,
    perCaller: budgets.caller.histories,
    full: 'Too much of the history is being read; try again',
  });

const hourMs = 3_600_000;
/** Names and patterns in one request; the schema has the same limit for a list. */
const maxNames = 64;

export function toQuery({ series = [], from, to, last, step }: HistoryInput, now: number): HistoryQuery {
  const end = to === undefined ? now : momentOf('to', to, now);
  const spanMs = last === undefined ? hourMs : parseSpan(String(last));
  if (spanMs === null) throw new ServiceError('invalid', 'last must be a span such as 15m, 1h or 7d');
  const given = typeof series === 'string' ? series.split(',') : series;
  const names = new Set(given.map((name) => name.trim()).filter((name) => name !== ''));
  if (names.size > maxNames) throw new ServiceError('invalid', `series must name at most ${maxNames} series`);
  return {
    series: [...names],
    from: from === undefined ? end - spanMs : momentOf('from', from, now),
    to: end,
    step: step === undefined ? null : Math.max(1, Math.round(Number(step))),
  };
}

function momentOf(name: string, given: string | number, now: number): number {
  const moment = typeof given === 'number' ? given : parseMoment(given, now);
  if (moment !== null) return moment;
  throw new ServiceError('invalid', `${name} must be Unix milliseconds, an ISO time or HH:MM`);
}

export const historyFeature = defineFeature({
  name: 'history',
  title: 'History',
  actions: [historyGet],
  settings: {
    history: {
      schema: async () => (await import('./history.settings.schema.ts')).historySettingsSchema,
      defaults: { enabled: true, interval: 15, batteryInterval: 60 },
      after: 'otlp',
    },
  },
  commands: historyCommands,
});
