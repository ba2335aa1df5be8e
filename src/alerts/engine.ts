import type { AlertTest } from '../core/alerts.ts';
import type { KnownHistory } from '../core/readings/history.ts';
import { ServiceError } from '../lib/errors.ts';
import type { AlertRule } from './alerts.settings.schema.ts';
import { type AlertCondition, conditionOf, type KnownProblems, knownProblems } from './conditions.ts';
import { messageAbout } from './engine.message.ts';
import { restoreRule } from './engine.saved.ts';
import { applyCheck, createEngineState, type EngineParts, type EngineState, type WatchedRule } from './engine.state.ts';
import { readEveryMs, subscribe, unsubscribeAll } from './engine.watch.ts';
import { work } from './engine.work.ts';
import { testResult } from './notification.ts';
import { newWay } from './notification-state.ts';
import type { RuleTiming } from './rule-state.ts';

/** Watches the rules of the settings as of the last call of `follow`. */
export interface AlertEngine {
  follow(): Promise<void>;
  test(id: string, signal: AbortSignal): Promise<AlertTest>;
  stop(): void;
}

/** A problem must be gone this long before its alert ends: a unit that keeps restarting would otherwise notify each time. */
const settleMs = 60_000;

export function startEngine(parts: EngineParts): AlertEngine {
  const state = createEngineState(parts);
  return {
    follow: () => follow(state),
    test: (id, signal) => testRule(state, id, signal),
    stop() {
      state.ending.abort();
      unsubscribeAll(state);
      state.cancelTimer();
    },
  };
}

async function follow(state: EngineState): Promise<void> {
  const { parts, ending } = state;
  state.run += 1;
  const { run } = state;
  const { rules } = parts.settings().alerts;
  const known = await parts.history.known();
  const problems = await knownProblems(parts.modules);
  if (run !== state.run || ending.signal.aborted) return;
  unsubscribeAll(state);
  state.appliedAt = parts.host.clock.now();
  state.watched = rules.filter(({ enabled }) => enabled).map((rule) => watchRule(state, rule, known, problems));
  subscribe(state);
  work(state);
}

/** Keeps the memory of a rule whose condition has not changed. */
function watchRule(state: EngineState, rule: AlertRule, known: KnownHistory, problems: KnownProblems): WatchedRule {
  const { parts, watched } = state;
  const before = watched.find(
    ({ rule: { id, when } }) => id === rule.id && JSON.stringify(when) === JSON.stringify(rule.when),
  );
  const condition = conditionOf(rule, known, problems);
  const { memory, delivered } = before ? { memory: before.memory, delivered: {} } : restoreRule(state, rule);
  const ways = new Map(
    [...new Set(rule.notify)].map((name) => {
      const earlier = before?.ways.get(name);
      return [
        name,
        earlier ?? { ...newWay, delivered: Object.hasOwn(delivered, name) ? (delivered[name] ?? null) : null },
      ];
    }),
  );
  const one: WatchedRule = { rule, condition, timing: timingOf(parts, rule, condition), memory, ways };
  if (condition.kind === 'wrong') {
    parts.log.warn(`alerts: the rule ${rule.id} watches nothing: ${condition.reason}`);
    applyCheck(parts, one, { kind: 'missing', reason: condition.reason });
  }
  // No event since the rule is watched.
  if (condition.kind === 'event' && memory.state === 'unknown') applyCheck(parts, one, { kind: 'off', value: null });
  return one;
}

function timingOf(parts: EngineParts, { when }: AlertRule, condition: AlertCondition): RuleTiming {
  const { batteryInterval, interval } = parts.settings().history;
  const isAnnounced = condition.kind === 'problem' && condition.announced;
  return {
    forMs: (when.for ?? 0) * 1000,
    settleMs: condition.kind === 'problem' ? settleMs : 0,
    gapMs: isAnnounced ? Number.POSITIVE_INFINITY : 4 * Math.max(readEveryMs, batteryInterval * 1000, interval * 1000),
  };
}

async function testRule(state: EngineState, id: string, signal: AbortSignal): Promise<AlertTest> {
  const { parts, ending, watched } = state;
  const one = watched.find(({ rule }) => rule.id === id);
  if (one === undefined) {
    const isOff = parts.settings().alerts.rules.some((rule) => rule.id === id);
    throw new ServiceError(
      'not_found',
      isOff ? `The rule ${id} is not enabled` : `There is no rule ${JSON.stringify(id)}`,
    );
  }
  const message = messageAbout(parts.host, one, 'test');
  const both = AbortSignal.any([signal, ending.signal]);
  const results = await Promise.all(
    [...one.ways.keys()].map(async (way) => {
      return testResult(parts.log, id, way, await parts.send(way, message, both));
    }),
  );
  return { id, results };
}
