import type { AlertsState } from '../core/alerts.schema.ts';
import type { ModuleDefinition } from '../core/module.ts';
import type { FollowedHistory, History } from '../core/readings/history.ts';
import type { Store } from '../core/store.ts';
import type { Host } from '../host/host.ts';
import type { Log } from '../lib/log.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { AlertRule } from './alerts.settings.schema.ts';
import type { AlertCondition } from './conditions.ts';
import type { SendAlert } from './notification.ts';
import type { WayMemory } from './notification-state.ts';
import { afterCheck, type Moments, type RuleCheck, type RuleMemory, type RuleTiming } from './rule-state.ts';
import { readSavedAlerts, type SavedAlert } from './state-file.ts';

export interface EngineParts {
  host: Pick<Host, 'clock' | 'storage' | 'paths' | 'environment'>;
  log: Log;
  modules: readonly ModuleDefinition[];
  store: Pick<Store, 'get' | 'listen'>;
  timers: SharedTimers;
  history: FollowedHistory & Pick<History, 'note'>;
  send: SendAlert;
  /** Called with each state that differs from the previous one. */
  show(state: AlertsState): void;
  settings(): Pick<Settings, 'alerts' | 'history'>;
  random(): number;
}

export interface WatchedRule {
  rule: AlertRule;
  condition: AlertCondition;
  timing: RuleTiming;
  memory: RuleMemory;
  ways: Map<string, WayMemory>;
}

export interface EngineState {
  parts: EngineParts;
  ending: AbortController;
  saved: Map<string, SavedAlert>;
  watched: WatchedRule[];
  /** Ends the subscriptions and repeated reads of the watched rules. */
  unsubscribe: (() => void)[];
  cancelTimer: () => void;
  /** JSON of the last saved and the last published state. */
  written: string;
  shown: string;
  sending: number;
  /** Counts the calls of `follow`; results of an earlier run are dropped. */
  run: number;
  /** Wall clock, when the current settings were applied. */
  appliedAt: number;
}

const longestNote = 300;

export function createEngineState(parts: EngineParts): EngineState {
  return {
    parts,
    ending: new AbortController(),
    saved: readSavedAlerts(parts.host),
    watched: [],
    unsubscribe: [],
    cancelTimer: () => {},
    written: '',
    shown: '',
    sending: 0,
    run: 0,
    appliedAt: parts.host.clock.now(),
  };
}

export function momentsOf({ host: { clock } }: EngineParts): Moments {
  return { now: clock.now(), monotonic: clock.monotonic() };
}

export const makeId = () => crypto.randomUUID();

export function applyCheck(parts: EngineParts, one: WatchedRule, check: RuleCheck): void {
  setMemory(parts, one, afterCheck(one.memory, check, one.timing, momentsOf(parts), makeId));
}

/** Records the beginning and the end of an alert in the history. An alert on an event is recorded there already. */
export function setMemory({ history }: EngineParts, one: WatchedRule, memory: RuleMemory): void {
  const { episode: before } = one.memory;
  const { episode } = memory;
  one.memory = memory;
  if (episode === null || episode === before || episode.isMoment) return;
  const name = one.rule.name ?? one.rule.id;
  if (episode.ended === null) history.note('alert', `Alert "${name}": ${episode.text}`.slice(0, longestNote));
  else history.note('alert', `The alert "${name}" is over`);
}
