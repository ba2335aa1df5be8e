import { messageOf } from '../lib/errors.ts';
import type { AlertRule } from './alerts.settings.schema.ts';
import type { EngineState, WatchedRule } from './engine.state.ts';
import { newMemory, type RuleMemory } from './rule-state.ts';
import { type SavedAlert, writeSavedAlerts } from './state-file.ts';

/** Writes the unfinished alerts to the state file if they have changed. */
export function saveAlerts(state: EngineState): void {
  const { parts, saved, watched } = state;
  saved.clear();
  for (const one of watched) {
    const alert = savedAlert(one);
    if (alert !== null) saved.set(one.rule.id, alert);
  }
  const text = JSON.stringify([...saved]);
  if (text === state.written) return;
  state.written = text;
  try {
    writeSavedAlerts(parts.host, saved);
  } catch (error) {
    parts.log.warn(
      `alerts: the state cannot be saved: ${messageOf(error)}. Notifications are repeated after the next start`,
    );
  }
}

/** null: there is no alert, or it is over and each way has delivered that. */
function savedAlert({ rule, memory, ways }: WatchedRule): SavedAlert | null {
  const { episode, state, since, subjects } = memory;
  if (episode === null) return null;
  if (episode.ended !== null && [...ways.values()].every(({ target }) => target === null)) return null;
  return {
    when: JSON.stringify(rule.when),
    since,
    isActive: state === 'active',
    subjects: [...subjects.keys()],
    episode,
    told: Object.fromEntries(
      [...ways].flatMap(([name, way]) => (way.delivered === null ? [] : [[name, way.delivered]])),
    ),
  };
}

/** The memory of a rule as the state file has it, or a new one. */
export function restoreRule(
  { parts, saved }: EngineState,
  rule: AlertRule,
): { memory: RuleMemory; delivered: SavedAlert['told'] } {
  const { clock } = parts.host;
  const fresh = newMemory(clock.now(), 'it has not been checked yet');
  const found = saved.get(rule.id);
  if (found === undefined || found.when !== JSON.stringify(rule.when)) return { memory: fresh, delivered: {} };
  const { episode, isActive, since, subjects, told: delivered } = found;
  if (!isActive) return { memory: { ...fresh, episode }, delivered };
  const memory: RuleMemory = {
    ...fresh,
    state: 'active',
    since,
    subjects: new Map(subjects.map((subject) => [subject, clock.monotonic()])),
    episode,
    recent: [episode],
    // An event ends after its hold time, counted from this start.
    offSince: episode.isMoment ? clock.monotonic() : null,
    text: episode.text,
    value: episode.value,
    reason: null,
  };
  return { memory, delivered };
}
