import type { Host } from '../host/host.ts';
import { type AlertCondition, conditionInWords, longestText } from './conditions.ts';
import { makeId, type WatchedRule } from './engine.state.ts';
import type { AlertMessage } from './notification.ts';
import { type AlertPhase, textSince } from './notification-state.ts';

/** `knownEpisode`: the last episode that this way delivered. */
export function messageAbout(
  { clock, environment }: Pick<Host, 'clock' | 'environment'>,
  { rule, condition, memory }: WatchedRule,
  phase: AlertPhase | 'test',
  knownEpisode: string | null = null,
): AlertMessage {
  const { id, begun, ended, text, value } = memory.episode ?? {
    id: makeId(),
    begun: clock.now(),
    ended: null,
    text: memory.text,
    value: memory.value,
  };
  return {
    id: phase === 'test' ? `msg_${makeId()}` : `msg_${id}_${phase}`,
    type: `alert.${phase}`,
    at: phase === 'test' ? clock.now() : phase === 'ended' ? (ended ?? clock.now()) : begun,
    alert: {
      id: rule.id,
      name: rule.name ?? rule.id,
      condition: conditionInWords(rule, condition),
      text: phase === 'begun' ? textSince(memory.recent, knownEpisode, longestText) || text : '',
      value: phase === 'begun' ? value : memory.value,
      ...levelOf(condition),
      since: phase === 'test' ? clock.now() : begun,
    },
    machine: environment.hostname(),
    priority: rule.priority,
  };
}

export function levelOf(condition: AlertCondition): { threshold: number | null; unit: string | null } {
  if (condition.kind === 'series') return { threshold: condition.threshold, unit: condition.unit };
  if (condition.kind === 'problem' && condition.percent !== null)
    return { threshold: condition.percent, unit: 'percent' };
  return { threshold: null, unit: null };
}
