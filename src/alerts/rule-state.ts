import type { AlertRule } from './alerts.settings.schema.ts';

/** The state of one rule. Durations use the monotonic clock, which cannot be set; displayed times use the wall clock. */
export interface RuleMemory {
  state: 'ok' | 'pending' | 'active' | 'unknown';
  /** Wall clock, when the state began. */
  since: number;
  /** Monotonic, since when the condition holds without a break; null: it does not hold. */
  onSince: number | null;
  /** Monotonic, since when the condition no longer holds though the alert is active; null: it holds. */
  offSince: number | null;
  /** Monotonic, the last check; null: none. */
  seenAt: number | null;
  value: number | null;
  text: string;
  /** Current and recent subjects, each with the monotonic time at which it was last seen. */
  subjects: ReadonlyMap<string, number>;
  reason: string | null;
  /** The episode to notify about; null: none yet. */
  episode: Episode | null;
  /** Episodes since the alert began, the latest last: a way that missed some of them sends them together. */
  recent: readonly Pick<Episode, 'id' | 'text'>[];
}

/** A subject that was gone for this long while the alert was active counts as new, ms. */
const forgetMs = 3_600_000;
/** Further subjects are not distinguished. */
const mostRemembered = 100;
const mostRecent = 20;
const noSubjects: ReadonlyMap<string, number> = new Map();
/** While the condition does not hold. */
const nothingOn = { text: '', subjects: noSubjects, onSince: null, offSince: null };

/** From the beginning of an alert to its end. An additional subject starts another one. */
export interface Episode {
  id: string;
  /** Wall clock. */
  begun: number;
  ended: number | null;
  /** An event: its end is not notified. */
  isMoment: boolean;
  text: string;
  value: number | null;
}

export type RuleCheck =
  | { kind: 'on'; value: number | null; text: string; subjects: readonly string[] }
  | { kind: 'off'; value: number | null }
  | { kind: 'missing'; reason: string }
  | { kind: 'happened'; text: string };

export interface RuleTiming {
  /** The condition must hold this long before the alert begins. */
  forMs: number;
  /** The condition must be gone this long before the alert ends. */
  settleMs: number;
  /** After a longer time without a check the duration starts again. */
  gapMs: number;
}

export interface Moments {
  now: number;
  monotonic: number;
}

export function newMemory(now: number, reason: string): RuleMemory {
  return {
    state: 'unknown',
    since: now,
    ...nothingOn,
    seenAt: null,
    value: null,
    reason,
    episode: null,
    recent: [],
  };
}

const newEpisode = (id: string, begun: number, text: string, value: number | null): Episode => ({
  id,
  begun,
  ended: null,
  isMoment: false,
  text,
  value,
});

/** Returns the memory after a check; the same object if nothing has changed. */
export function afterCheck(
  before: RuleMemory,
  check: RuleCheck,
  { forMs, settleMs, gapMs }: RuleTiming,
  { now, monotonic }: Moments,
  makeId: () => string,
): RuleMemory {
  const isActive = before.state === 'active';
  const seen = { ...before, seenAt: monotonic };
  const enter = (state: RuleMemory['state'], changes: Partial<RuleMemory>): RuleMemory => ({
    ...seen,
    state,
    since: state === before.state ? before.since : now,
    ...changes,
  });
  const begin = (text: string, value: number | null, isMoment = false): Episode => ({
    ...newEpisode(makeId(), now, text, value),
    isMoment,
  });

  if (check.kind === 'missing') {
    // A missing value does not end an alert.
    if (isActive) return { ...seen, reason: check.reason, offSince: null };
    return enter('unknown', { reason: check.reason, value: null, text: '', subjects: noSubjects, onSince: null });
  }

  if (check.kind === 'happened') {
    const episode = begin(check.text, null, true);
    return {
      ...enter('active', { text: check.text, reason: null, episode, onSince: null, offSince: monotonic }),
      recent: withRecent(isActive ? before.recent : [], episode),
      since: now,
    };
  }

  if (check.kind === 'on') {
    const { value, text } = check;
    // A subject that disappears for a while is not new when it returns.
    const lately = isActive ? [...before.subjects].filter(([, seenAt]) => monotonic - seenAt < forgetMs) : [];
    const subjects = new Map(lately);
    let isMore = false;
    for (const subject of check.subjects) {
      if (!subjects.has(subject) && subjects.size >= mostRemembered) continue;
      isMore ||= !subjects.has(subject);
      subjects.set(subject, monotonic);
    }
    const found = { value, text, subjects, reason: null, offSince: null };
    if (isActive) {
      if (!isMore) return { ...seen, ...found };
      const episode = begin(text, value);
      return { ...seen, ...found, episode, recent: withRecent(before.recent, episode) };
    }
    const hasGap = before.seenAt !== null && monotonic - before.seenAt > gapMs;
    const onSince = before.onSince === null || hasGap ? monotonic : before.onSince;
    if (monotonic - onSince < forMs) return enter('pending', { ...found, onSince });
    const episode = begin(text, value);
    return enter('active', { ...found, onSince, episode, recent: withRecent([], episode) });
  }

  const { value } = check;
  if (!isActive) return enter('ok', { ...nothingOn, value, reason: null });
  const offSince = before.offSince ?? monotonic;
  if (monotonic - offSince < settleMs) return { ...seen, value, reason: null, offSince };
  return ended(enter('ok', { ...nothingOn, value, reason: null }), now);
}

/** Applies the end of a wait. `holdMs`: how long an event is shown as active. */
export function afterWait(
  before: RuleMemory,
  { forMs, settleMs, gapMs }: RuleTiming,
  holdMs: number,
  { now, monotonic }: Moments,
  makeId: () => string,
): RuleMemory {
  const { state, onSince, offSince, episode } = before;
  // No check for too long: the next one decides.
  if (state === 'pending' && monotonic - (before.seenAt ?? monotonic) > gapMs) return before;
  if (state === 'pending' && onSince !== null && monotonic - onSince >= forMs) {
    const begun = newEpisode(makeId(), now, before.text, before.value);
    return { ...before, state: 'active', since: now, episode: begun, recent: withRecent([], begun) };
  }
  if (state !== 'active' || offSince === null) return before;
  if (monotonic - offSince < (episode?.isMoment === true ? holdMs : settleMs)) return before;
  return ended({ ...before, ...nothingOn, state: 'ok', since: now }, now);
}

/** Monotonic, when `afterWait` changes the state; null: never. */
export function waitOver(
  { state, onSince, offSince, episode }: RuleMemory,
  { forMs, settleMs }: RuleTiming,
  holdMs: number,
): number | null {
  if (state === 'pending' && onSince !== null) return onSince + forMs;
  if (state !== 'active' || offSince === null) return null;
  return offSince + (episode?.isMoment === true ? holdMs : settleMs);
}

function withRecent(recent: RuleMemory['recent'], { id, text }: Episode): RuleMemory['recent'] {
  return [...recent, { id, text }].slice(-mostRecent);
}

function ended(memory: RuleMemory, now: number): RuleMemory {
  return { ...memory, episode: memory.episode === null ? null : { ...memory.episode, ended: now } };
}

type QuietTime = NonNullable<AlertRule['quiet']>;

/** Whether a rule is quiet now. `general`: the quiet time of rules without one of their own, such as `22:00-07:00`; empty: none. */
export function isQuietFor({ quiet }: AlertRule, general: string, nowMs: number): boolean {
  const [from = '', to] = general.split('-');
  const time = quiet ?? (to === undefined ? null : { from, to });
  return time !== null && isQuietAt(time, nowMs);
}

/** In the local time zone. 22:00 to 07:00 spans midnight; equal times mean the whole day. */
export function isQuietAt({ from, to }: QuietTime, nowMs: number): boolean {
  const now = new Date(nowMs);
  const minute = now.getHours() * 60 + now.getMinutes();
  const [begin, end] = [minuteOf(from), minuteOf(to)];
  return begin < end ? minute >= begin && minute < end : minute >= begin || minute < end;
}

function minuteOf(time: string): number {
  const [hours = 0, minutes = 0] = time.split(':').map(Number);
  return hours * 60 + minutes;
}
