import { defineAction } from '../../core/action.ts';
import type { HistoryAnswer, HistoryQuestion } from '../../core/history.ts';
import { ServiceError } from '../../lib/errors.ts';
import { parseMoment, parseSpan } from '../../lib/spans.ts';
import type { HistoryInput } from './history.schema.ts';

export const historyGet = defineAction<HistoryInput, HistoryAnswer>({
  name: 'history.get',
  description: 'Says how the machine was doing: values, the busiest processes and events of a time',
  input: async () => (await import('./history.schema.ts')).historyInputSchema,
  output: async () => (await import('./history.schema.ts')).historySchema,
  scopes: ['read'],
  effect: 'read',
  http: false,
  readAt: '/api/history',
  wire: { event: 'GET_HISTORY', reply: 'HISTORY' },
  unavailable: async () => null,
  async run(input, { history, host }) {
    return { message: '', data: await history.read(toQuestion(input, host.clock.now())) };
  },
});

const hourMs = 3_600_000;

export function toQuestion({ series = [], from, to, last, step }: HistoryInput, now: number): HistoryQuestion {
  const end = to === undefined ? now : momentOf('to', to, now);
  const spanMs = last === undefined ? hourMs : parseSpan(String(last));
  if (spanMs === null) throw new ServiceError('invalid', 'last must be a span such as 15m, 1h or 7d');
  const names = typeof series === 'string' ? series.split(',') : series;
  return {
    series: names.map((name) => name.trim()).filter((name) => name !== ''),
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
