import type { AlertState } from '../core/alerts.schema.ts';
import type { AlertRule } from './alerts.settings.schema.ts';
import { type AlertCondition, conditionInWords } from './conditions.ts';
import { levelOf } from './engine.message.ts';
import type { EngineState, WatchedRule } from './engine.state.ts';
import { newWay, wayStateOf } from './notification-state.ts';
import { isQuietFor, newMemory } from './rule-state.ts';

/** Shows the state of all rules if it has changed. */
export function publish(engine: EngineState): void {
  const { parts, watched, appliedAt } = engine;
  const now = parts.host.clock.now();
  const { rules, quiet } = parts.settings().alerts;
  const alerts = rules.flatMap((rule) => {
    const one = watched.find(({ rule: { id } }) => id === rule.id);
    if (one !== undefined) return [stateOf(one, isQuietFor(rule, quiet, now))];
    return rule.enabled ? [] : [stateOfOff(rule, appliedAt)];
  });
  const state = { active: alerts.filter((alert) => alert.state === 'active').length, alerts };
  const text = JSON.stringify(state);
  if (text === engine.shown) return;
  engine.shown = text;
  parts.show(state);
}

function stateOf({ rule, condition, memory, ways }: WatchedRule, quiet: boolean): AlertState {
  const notified = [...ways.values()].flatMap((way) => way.delivered?.at ?? []);
  return {
    id: rule.id,
    name: rule.name ?? rule.id,
    state: memory.state,
    since: Math.floor(memory.since / 1000),
    condition: conditionInWords(rule, condition),
    series: rule.when.series ?? null,
    event: rule.when.event ?? null,
    value: memory.value,
    ...levelOf(condition),
    text: memory.state === 'active' || memory.state === 'pending' ? memory.text : '',
    reason: memory.reason,
    quiet,
    last_notified: notified.length === 0 ? null : Math.floor(Math.max(...notified) / 1000),
    notify: [...ways].map(([name, way]) => wayStateOf(name, way)),
  };
}

function stateOfOff(rule: AlertRule, sinceMs: number): AlertState {
  const condition: AlertCondition = { kind: 'wrong', reason: '' };
  const ways = new Map(rule.notify.map((name) => [name, newWay]));
  const memory = newMemory(sinceMs, 'the rule is not enabled');
  const timing = { forMs: 0, settleMs: 0, gapMs: 0 };
  return { ...stateOf({ rule, condition, timing, memory, ways }, false), state: 'off' };
}
