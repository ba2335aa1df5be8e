import type { HistoryEvent } from '../core/readings/history.ts';
import { repeatedly } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import { shownText } from '../lib/printable-text.ts';
import { checkProblems, checkSeries, isMatch, longestText } from './conditions.ts';
import { applyCheck, type EngineState } from './engine.state.ts';
import { work } from './engine.work.ts';

/** How often a module is read that does not announce its changes, ms. */
export const readEveryMs = 60_000;
/** How often a module is read that does announce them, ms: it may have become unavailable. */
const rereadMs = 5 * 60_000;

/** Subscribes to what the conditions of the watched rules need, and reads the modules once. */
export function subscribe(state: EngineState): void {
  const { parts, watched, unsubscribe } = state;
  const conditions = watched.map(({ condition }) => condition);
  const series = conditions.flatMap((one) => (one.kind === 'series' ? [one.name] : []));
  const kinds = conditions.flatMap((one) => (one.kind === 'event' ? [one.name] : []));
  if (series.length + kinds.length > 0)
    unsubscribe.push(
      parts.history.follow({
        series,
        kinds,
        sampled: (values) => onSample(state, values),
        happened: (event) => onEvent(state, event),
      }),
    );
  const problems = conditions.filter((one) => one.kind === 'problem');
  const announced = new Set(problems.flatMap((one) => (one.announced ? [one.module] : [])));
  const polled = new Set(problems.flatMap((one) => (one.announced ? [] : [one.module])));
  for (const module of announced) {
    const listener = ({ payload }: { payload: unknown }) => onPayload(state, module, payload, null);
    unsubscribe.push(parts.store.listen(module, listener, { announcedEveryMs: rereadMs }));
    repeat(state, rereadMs, () => void readModule(state, module));
  }
  for (const module of polled) repeat(state, readEveryMs, () => void readModule(state, module));
  for (const module of new Set([...announced, ...polled])) void readModule(state, module);
}

export function unsubscribeAll({ unsubscribe }: EngineState): void {
  for (const end of unsubscribe.splice(0)) end();
}

function repeat({ parts, unsubscribe }: EngineState, everyMs: number, callback: () => void): void {
  unsubscribe.push(repeatedly((then) => parts.timers.next(everyMs, then), callback));
}

function onSample(state: EngineState, values: ReadonlyMap<string, number | null>): void {
  for (const one of state.watched)
    if (one.condition.kind === 'series')
      applyCheck(state.parts, one, checkSeries(one.condition, values, one.memory.state === 'active'));
  work(state);
}

function onEvent(state: EngineState, { kind, text }: HistoryEvent): void {
  for (const one of state.watched) {
    const { condition, rule } = one;
    if (condition.kind !== 'event' || condition.name !== kind) continue;
    if (rule.when.match === undefined || isMatch(rule.when.match, text))
      applyCheck(state.parts, one, { kind: 'happened', text: shownText(text, longestText) });
  }
  work(state);
}

async function readModule(state: EngineState, module: string): Promise<void> {
  const { run } = state;
  try {
    const { payload, reasons } = await state.parts.store.get(module);
    const whole = reasons.find(({ field }) => field === null)?.reason ?? null;
    if (run === state.run) onPayload(state, module, payload, whole);
  } catch (error) {
    if (run === state.run) onPayload(state, module, null, messageOf(error));
  }
}

/** `reason`: why there is no payload. */
function onPayload(state: EngineState, module: string, payload: unknown, reason: string | null): void {
  for (const one of state.watched) {
    const { condition, rule, memory } = one;
    if (condition.kind !== 'problem' || condition.module !== module) continue;
    if (reason !== null) applyCheck(state.parts, one, { kind: 'missing', reason });
    else applyCheck(state.parts, one, checkProblems(condition, rule.when.match, payload, memory.state === 'active'));
  }
  work(state);
}
