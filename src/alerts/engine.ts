import type { AlertState, AlertsState } from '../core/alerts.schema.ts';
import type { AlertTest } from '../core/alerts.ts';
import type { ModuleDefinition } from '../core/module.ts';
import type { FollowedHistory, History, HistoryEvent } from '../core/readings/history.ts';
import type { Store } from '../core/store.ts';
import type { Host } from '../host/host.ts';
import { messageOf, ServiceError } from '../lib/errors.ts';
import type { Log } from '../lib/log.ts';
import type { SharedTimers } from '../lib/shared-timers.ts';
import type { Settings } from '../settings/settings.schema.ts';
import type { AlertRule } from './alerts.settings.schema.ts';
import {
  type AlertCondition,
  conditionInWords,
  conditionOf,
  isMatch,
  longestText,
  lookAtSeries,
  lookForProblems,
} from './conditions.ts';
import { knownProblems } from './known-problems.ts';
import type { AlertMessage, AlertOutcome, SendAlert } from './notification.ts';
import {
  type AlertPhase,
  afterTry,
  isDue,
  isWorthWarning,
  newWay,
  textSince,
  type WayMemory,
  wayStateOf,
  withTask,
} from './notification-state.ts';
import {
  afterLook,
  afterWait,
  isQuietAt,
  newMemory,
  type RuleLook,
  type RuleMemory,
  type RuleTiming,
  waitOver,
} from './rule-state.ts';
import { type KeptAlert, readKeptAlerts, writeKeptAlerts } from './state-file.ts';

export interface EngineParts {
  host: Pick<Host, 'clock' | 'storage' | 'paths' | 'environment'>;
  log: Log;
  modules: readonly ModuleDefinition[];
  store: Pick<Store, 'get' | 'listen'>;
  timers: SharedTimers;
  history: FollowedHistory & Pick<History, 'note'>;
  send: SendAlert;
  /** Something else is to be shown. */
  show(state: AlertsState): void;
  settings(): Pick<Settings, 'alerts' | 'history'>;
  /** 0 to 1. */
  random(): number;
}

/** Watches the rules of the settings, as they were when it was started or told to follow them. */
export interface AlertEngine {
  /** The settings have changed. */
  follow(): Promise<void>;
  test(id: string, signal: AbortSignal): Promise<AlertTest>;
  stop(): void;
}

interface Watched {
  rule: AlertRule;
  condition: AlertCondition;
  timing: RuleTiming;
  memory: RuleMemory;
  ways: Map<string, WayMemory>;
}

/** How long an event is shown as active, ms. */
const holdMs = 5 * 60_000;
/** A problem that is gone for less than this is not taken to be over: what restarts all the time would be told all the time. */
const settleMs = 60_000;
/** What does not announce its changes is looked at this often, and so is the clock while somebody waits for the end of a quiet time. */
const lookEveryMs = 60_000;
/** Whether a module that announces its changes is still there. */
const lookAgainMs = 5 * 60_000;
const mostSending = 4;
const longestNote = 300;

export function startEngine(parts: EngineParts): AlertEngine {
  const { host, log, modules, store, timers, history, send } = parts;
  const { clock } = host;
  const ending = new AbortController();
  const kept = readKeptAlerts(host);
  let watched: Watched[] = [];
  const ends: (() => void)[] = [];
  let cancelTimer = () => {};
  let written = '';
  let shown = '';
  let sending = 0;
  let following = 0;
  /** When the settings were taken as they are now. */
  let offSince = clock.now();

  const moments = () => ({ now: clock.now(), monotonic: clock.monotonic() });
  const makeId = () => crypto.randomUUID();

  const take = (one: Watched, look: RuleLook) =>
    remembering(one, afterLook(one.memory, look, one.timing, moments(), makeId));

  /** What begins and ends is an event of the machine's history as well; what happened is one already. */
  const remembering = (one: Watched, memory: RuleMemory) => {
    const { episode: before } = one.memory;
    const { episode } = memory;
    one.memory = memory;
    if (episode === null || episode === before || episode.isMoment) return;
    const name = one.rule.name ?? one.rule.id;
    if (episode.ended === null) history.note('alert', `Alert "${name}": ${episode.text}`.slice(0, longestNote));
    else history.note('alert', `The alert "${name}" is over`);
  };

  const sampled = (values: ReadonlyMap<string, number | null>) => {
    for (const one of watched)
      if (one.condition.kind === 'series')
        take(one, lookAtSeries(one.condition, values, one.memory.state === 'active'));
    work();
  };

  const happened = ({ kind, text }: HistoryEvent) => {
    for (const one of watched) {
      const { condition, rule } = one;
      if (condition.kind !== 'event' || condition.name !== kind) continue;
      if (rule.when.match === undefined || isMatch(rule.when.match, text))
        take(one, { kind: 'happened', text: text.slice(0, longestText) });
    }
    work();
  };

  const found = (module: string, payload: unknown, reason: string | null) => {
    for (const one of watched) {
      const { condition, rule, memory } = one;
      if (condition.kind !== 'problem' || condition.module !== module) continue;
      if (reason !== null) take(one, { kind: 'missing', reason });
      else take(one, lookForProblems(condition, rule.when.match, payload, memory.state === 'active'));
    }
    work();
  };

  const lookAt = async (module: string) => {
    const run = following;
    try {
      const { payload, reasons } = await store.get(module);
      const whole = reasons.find(({ field }) => field === null)?.reason ?? null;
      if (run === following) found(module, payload, whole);
    } catch (error) {
      if (run === following) found(module, null, messageOf(error));
    }
  };

  /** All that time, and nothing else, brings about. */
  const wait = () => {
    for (const one of watched) {
      // A series is judged by what was measured, not by how long nobody looked.
      if (one.condition.kind !== 'series')
        remembering(one, afterWait(one.memory, one.timing, holdMs, moments(), makeId));
    }
    work();
  };

  /** Whoever has something to be told is told, what is to be kept is kept, and the next moment is waited for. */
  const work = () => {
    if (ending.signal.aborted) return;
    const { now, monotonic } = moments();
    let next = Number.POSITIVE_INFINITY;
    for (const one of watched) {
      const { rule, ways, memory } = one;
      if (one.condition.kind !== 'series') next = Math.min(next, waitOver(memory, one.timing, holdMs) ?? next);
      const isQuiet = rule.quiet !== undefined && isQuietAt(rule.quiet, now);
      for (const [name, before] of ways) {
        const way = withTask(before, memory.episode);
        ways.set(name, way);
        if (way.target === null || way.isGivenUp) continue;
        if (isQuiet && name !== 'mqtt') next = Math.min(next, monotonic + lookEveryMs);
        else if (!isDue(way, monotonic)) next = Math.min(next, way.nextAt);
        else void tell(one, name, way.target);
      }
    }
    keep();
    publish();
    cancelTimer();
    cancelTimer = next === Number.POSITIVE_INFINITY ? () => {} : clock.after(Math.max(0, next - monotonic), wait);
  };

  const tell = async (one: Watched, name: string, target: string) => {
    const { episode } = one.memory;
    const way = one.ways.get(name);
    if (episode === null || way === undefined || sending >= mostSending) return;
    sending += 1;
    // Not once more before this is done, however long it takes.
    one.ways.set(name, { ...way, nextAt: Number.POSITIVE_INFINITY });
    const phase: AlertPhase = target.endsWith(':begun') ? 'begun' : 'ended';
    const outcome: AlertOutcome = await send(name, messageAbout(one, phase, way.told?.episode), ending.signal).catch(
      (error: unknown) => ({
        ok: false,
        error: messageOf(error),
        retry: true,
        askedForMs: null,
      }),
    );
    sending -= 1;
    if (ending.signal.aborted) return;
    const current = one.ways.get(name);
    if (current !== undefined) {
      const { now, monotonic } = moments();
      const after = afterTry(current, target, outcome, { now, monotonic, random: parts.random() });
      const isWarning = !outcome.ok && isWorthWarning(current, after, monotonic);
      one.ways.set(name, isWarning ? { ...after, warnedAt: monotonic } : after);
      if (isWarning)
        log.warn(
          `alerts: ${one.rule.id} could not be sent to ${name}: ${outcome.full ?? after.error ?? outcome.error}${after.isGivenUp ? '' : '. It will be tried again'}`,
        );
    }
    work();
  };

  const messageAbout = (one: Watched, phase: AlertPhase | 'test', toldBefore: string | null = null): AlertMessage => {
    const { rule, condition, memory } = one;
    const { id, begun, ended, text, value } = memory.episode ?? {
      id: makeId(),
      begun: clock.now(),
      ended: null,
      text: memory.text,
      value: memory.value,
    };
    const level = levelOf(condition);
    return {
      id: phase === 'test' ? `msg_${makeId()}` : `msg_${id}_${phase}`,
      type: `alert.${phase}`,
      at: phase === 'test' ? clock.now() : phase === 'ended' ? (ended ?? clock.now()) : begun,
      alert: {
        id: rule.id,
        name: rule.name ?? rule.id,
        condition: conditionInWords(rule, condition),
        text: phase === 'begun' ? textSince(memory.recent, toldBefore, longestText) || text : '',
        value: phase === 'begun' ? value : memory.value,
        ...level,
        since: phase === 'test' ? clock.now() : begun,
      },
      machine: host.environment.hostname(),
    };
  };

  const keep = () => {
    kept.clear();
    for (const { rule, memory, ways } of watched) {
      const { episode, state, since, subjects } = memory;
      if (episode === null) continue;
      const told = Object.fromEntries(
        [...ways].flatMap(([name, way]) => (way.told === null ? [] : [[name, way.told]])),
      );
      // What is over and told needs no memory.
      const isDone = episode.ended !== null && [...ways.values()].every(({ target }) => target === null);
      if (isDone) continue;
      kept.set(rule.id, {
        when: JSON.stringify(rule.when),
        since,
        isActive: state === 'active',
        subjects: [...subjects.keys()],
        episode,
        told,
      });
    }
    const text = JSON.stringify([...kept]);
    if (text === written) return;
    written = text;
    try {
      writeKeptAlerts(host, kept);
    } catch (error) {
      log.warn(`alerts: what was told cannot be kept: ${messageOf(error)}. It is told again after the next start`);
    }
  };

  const publish = () => {
    const now = clock.now();
    const alerts = parts.settings().alerts.rules.flatMap((rule) => {
      const one = watched.find(({ rule: { id } }) => id === rule.id);
      if (one !== undefined) return [stateOf(one, now)];
      return rule.enabled ? [] : [stateOfOff(rule, offSince)];
    });
    const state = { active: alerts.filter((alert) => alert.state === 'active').length, alerts };
    const text = JSON.stringify(state);
    if (text === shown) return;
    shown = text;
    parts.show(state);
  };

  const remember = (rule: AlertRule): { memory: RuleMemory; told: KeptAlert['told'] } => {
    const fresh = newMemory(clock.now(), 'it has not been looked at yet');
    const found = kept.get(rule.id);
    if (found === undefined || found.when !== JSON.stringify(rule.when)) return { memory: fresh, told: {} };
    const { episode, isActive, since, subjects, told } = found;
    if (!isActive) return { memory: { ...fresh, episode }, told };
    // An event was over long ago, or is soon.
    const offSince = episode.isMoment ? clock.monotonic() : null;
    return {
      memory: {
        ...fresh,
        state: 'active',
        since,
        subjects: new Map(subjects.map((subject) => [subject, clock.monotonic()])),
        episode,
        recent: [episode],
        offSince,
        text: episode.text,
        value: episode.value,
        reason: null,
      },
      told,
    };
  };

  const timingOf = ({ when }: AlertRule, condition: AlertCondition): RuleTiming => ({
    forMs: (when.for ?? 0) * 1000,
    settleMs: condition.kind === 'problem' ? settleMs : 0,
    gapMs:
      condition.kind === 'problem' && condition.announced
        ? Number.POSITIVE_INFINITY
        : 4 *
          Math.max(
            lookEveryMs,
            parts.settings().history.batteryInterval * 1000,
            parts.settings().history.interval * 1000,
          ),
  });

  const endAll = () => {
    for (const end of ends.splice(0)) end();
  };

  const repeat = (everyMs: number, callback: () => void) => {
    let cancel = () => {};
    const again = () => {
      cancel = timers.next(everyMs, () => {
        again();
        callback();
      });
    };
    again();
    ends.push(() => cancel());
  };

  const begin = () => {
    const conditions = watched.map(({ condition }) => condition);
    const series = conditions.flatMap((one) => (one.kind === 'series' ? [one.name] : []));
    const kinds = conditions.flatMap((one) => (one.kind === 'event' ? [one.name] : []));
    if (series.length + kinds.length > 0) ends.push(history.follow({ series, kinds, sampled, happened }));
    const problems = conditions.filter((one) => one.kind === 'problem');
    const announced = new Set(problems.flatMap((one) => (one.announced ? [one.module] : [])));
    const polled = new Set(problems.flatMap((one) => (one.announced ? [] : [one.module])));
    for (const module of announced) {
      ends.push(store.listen(module, ({ payload }) => found(module, payload, null), undefined, lookAgainMs));
      repeat(lookAgainMs, () => void lookAt(module));
    }
    for (const module of polled) repeat(lookEveryMs, () => void lookAt(module));
    for (const module of new Set([...announced, ...polled])) void lookAt(module);
  };

  return {
    async follow() {
      following += 1;
      const run = following;
      const { rules } = parts.settings().alerts;
      const known = await history.known();
      const problems = await knownProblems(modules);
      if (run !== following || ending.signal.aborted) return;
      endAll();
      offSince = clock.now();
      watched = rules
        .filter(({ enabled }) => enabled)
        .map((rule) => {
          const before = watched.find(
            ({ rule: { id, when } }) => id === rule.id && JSON.stringify(when) === JSON.stringify(rule.when),
          );
          const condition = conditionOf(rule, known, problems);
          const { memory, told } = before ? { memory: before.memory, told: {} } : remember(rule);
          const ways = new Map(
            [...new Set(rule.notify)].map((name) => {
              const earlier = before?.ways.get(name);
              return [name, earlier ?? { ...newWay, told: Object.hasOwn(told, name) ? (told[name] ?? null) : null }];
            }),
          );
          const one: Watched = { rule, condition, timing: timingOf(rule, condition), memory, ways };
          if (condition.kind === 'wrong') {
            log.warn(`alerts: the rule ${rule.id} watches nothing: ${condition.reason}`);
            take(one, { kind: 'missing', reason: condition.reason });
          }
          // Nothing has happened since somebody looks.
          if (condition.kind === 'event' && memory.state === 'unknown') take(one, { kind: 'off', value: null });
          return one;
        });
      begin();
      work();
    },
    async test(id, signal) {
      const one = watched.find(({ rule }) => rule.id === id);
      if (one === undefined) {
        const isOff = parts.settings().alerts.rules.some((rule) => rule.id === id);
        throw new ServiceError(
          'not_found',
          isOff ? `The rule ${id} is not enabled` : `There is no rule ${JSON.stringify(id)}`,
        );
      }
      const message = messageAbout(one, 'test');
      const both = AbortSignal.any([signal, ending.signal]);
      const results = await Promise.all(
        [...one.ways.keys()].map(async (way) => {
          const outcome = await send(way, message, both);
          if (!outcome.ok && outcome.full !== undefined)
            log.warn(`alerts: the test of ${id} by ${way}: ${outcome.full}`);
          return { way, ok: outcome.ok, error: outcome.ok ? null : outcome.error };
        }),
      );
      return { id, results };
    },
    stop() {
      ending.abort();
      endAll();
      cancelTimer();
    },
  };
}

function stateOf({ rule, condition, memory, ways }: Watched, nowMs: number): AlertState {
  const told = [...ways.values()].flatMap((way) => way.told?.at ?? []);
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
    quiet: rule.quiet !== undefined && isQuietAt(rule.quiet, nowMs),
    last_notified: told.length === 0 ? null : Math.floor(Math.max(...told) / 1000),
    notify: [...ways].map(([name, way]) => wayStateOf(name, way)),
  };
}

function stateOfOff(rule: AlertRule, sinceMs: number): AlertState {
  const condition: AlertCondition = { kind: 'wrong', reason: '' };
  const ways = new Map(rule.notify.map((name) => [name, newWay]));
  const memory = newMemory(sinceMs, 'the rule is not enabled');
  const timing = { forMs: 0, settleMs: 0, gapMs: 0 };
  return { ...stateOf({ rule, condition, timing, memory, ways }, sinceMs), state: 'off', quiet: false };
}

function levelOf(condition: AlertCondition): { threshold: number | null; unit: string | null } {
  if (condition.kind === 'series') return { threshold: condition.threshold, unit: condition.unit };
  if (condition.kind === 'problem' && condition.percent !== null)
    return { threshold: condition.percent, unit: 'percent' };
  return { threshold: null, unit: null };
}
