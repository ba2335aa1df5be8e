import type { AlertRule } from './alerts.settings.schema.ts';

/** How one rule stands. Time is the monotonic clock's, which nobody can set; what people see has the wall clock's beside it. */
export interface RuleMemory {
  state: 'ok' | 'pending' | 'active' | 'unknown';
  /** Wall clock, when the state began. */
  since: number;
  /** Monotonic, since when it is the case without a break; null: it is not. */
  onSince: number | null;
  /** Monotonic, since when it is no longer the case though the alert is active; null: it is the case. */
  offSince: number | null;
  /** Monotonic, the last look; null: there was none. */
  seenAt: number | null;
  value: number | null;
  text: string;
  /** What it is about, and was about lately: each with the monotonic time at which it was seen last. */
  subjects: ReadonlyMap<string, number>;
  reason: string | null;
  /** What is to be told; null: nothing ever was. */
  episode: Episode | null;
  /** What came to it since the alert began, the latest last: a way that was not told each of these is told them together. */
  recent: readonly Pick<Episode, 'id' | 'text'>[];
}

/** What is gone for this long while the alert goes on is worth telling when it comes back, ms. */
const forgetMs = 3_600_000;
/** More subjects than this are not told apart. */
const mostRemembered = 100;
const mostRecent = 20;
const noSubjects: ReadonlyMap<string, number> = new Map();

/** From the beginning of an alert to its end. What comes to it meanwhile makes another one. */
export interface Episode {
  id: string;
  /** Wall clock. */
  begun: number;
  ended: number | null;
  /** An event, which has no end that is worth telling. */
  isMoment: boolean;
  text: string;
  value: number | null;
}

/** What a look found. */
export type RuleLook =
  | { kind: 'on'; value: number | null; text: string; subjects: readonly string[] }
  | { kind: 'off'; value: number | null }
  | { kind: 'missing'; reason: string }
  /** Something happened at this moment. */
  | { kind: 'happened'; text: string };

export interface RuleTiming {
  /** It must last so long before the alert begins. */
  forMs: number;
  /** It must be gone so long before the alert ends. */
  settleMs: number;
  /** Nobody looked for longer than this: what was is not taken to have lasted. */
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
    onSince: null,
    offSince: null,
    seenAt: null,
    value: null,
    text: '',
    subjects: noSubjects,
    reason,
    episode: null,
    recent: [],
  };
}

/** The memory after a look; the same object: nothing is different. */
export function afterLook(
  before: RuleMemory,
  look: RuleLook,
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
  const begin = (text: string, value: number | null, isMoment: boolean): Episode => ({
    id: makeId(),
    begun: now,
    ended: null,
    isMoment,
    text,
    value,
  });

  if (look.kind === 'missing') {
    // A sensor that went silent is no recovery.
    if (isActive) return { ...seen, reason: look.reason, offSince: null };
    return enter('unknown', { reason: look.reason, value: null, text: '', subjects: noSubjects, onSince: null });
  }

  if (look.kind === 'happened') {
    const episode = begin(look.text, null, true);
    return {
      ...enter('active', { text: look.text, reason: null, episode, onSince: null, offSince: monotonic }),
      recent: withRecent(isActive ? before.recent : [], episode),
      since: now,
    };
  }

  if (look.kind === 'on') {
    const { value, text } = look;
    // Those that come and go out of step are all there, and none is new when it comes back.
    const lately = isActive ? [...before.subjects].filter(([, seenAt]) => monotonic - seenAt < forgetMs) : [];
    const subjects = new Map(lately);
    let isMore = false;
    for (const subject of look.subjects) {
      if (!subjects.has(subject) && subjects.size >= mostRemembered) continue;
      isMore ||= !subjects.has(subject);
      subjects.set(subject, monotonic);
    }
    const found = { value, text, subjects, reason: null, offSince: null };
    if (isActive) {
      if (!isMore) return { ...seen, ...found };
      const episode = begin(text, value, false);
      return { ...seen, ...found, episode, recent: withRecent(before.recent, episode) };
    }
    const hasGap = before.seenAt !== null && monotonic - before.seenAt > gapMs;
    const onSince = before.onSince === null || hasGap ? monotonic : before.onSince;
    if (monotonic - onSince < forMs) return enter('pending', { ...found, onSince });
    const episode = begin(text, value, false);
    return enter('active', { ...found, onSince, episode, recent: withRecent([], episode) });
  }

  const { value } = look;
  if (!isActive)
    return enter('ok', { value, text: '', subjects: noSubjects, reason: null, onSince: null, offSince: null });
  const offSince = before.offSince ?? monotonic;
  if (monotonic - offSince < settleMs) return { ...seen, value, reason: null, offSince };
  return ended(
    enter('ok', { value, text: '', subjects: noSubjects, reason: null, onSince: null, offSince: null }),
    now,
  );
}

/** What time alone does: a wait is over. `holdMs`: how long an event is shown as active. */
export function afterWait(
  before: RuleMemory,
  { forMs, settleMs, gapMs }: RuleTiming,
  holdMs: number,
  { now, monotonic }: Moments,
  makeId: () => string,
): RuleMemory {
  const { state, onSince, offSince, episode } = before;
  // Nobody looked for so long: the next look says how it is.
  if (state === 'pending' && monotonic - (before.seenAt ?? monotonic) > gapMs) return before;
  if (state === 'pending' && onSince !== null && monotonic - onSince >= forMs) {
    const { text, value } = before;
    const begun: Episode = { id: makeId(), begun: now, ended: null, isMoment: false, text, value };
    return { ...before, state: 'active', since: now, episode: begun, recent: withRecent([], begun) };
  }
  if (state !== 'active' || offSince === null) return before;
  if (monotonic - offSince < (episode?.isMoment === true ? holdMs : settleMs)) return before;
  return ended(
    { ...before, state: 'ok', since: now, text: '', subjects: noSubjects, onSince: null, offSince: null },
    now,
  );
}

/** Monotonic, when `afterWait` has something to do; null: never. */
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

/** By the clock of this machine in its own time zone. From 22:00 to 07:00 goes over midnight; from one time to the same is the whole day. */
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
