import type { ModuleDefinition } from '../core/module.ts';
import type { KnownHistory } from '../core/readings/history.ts';
import type { FoundProblem, ModuleProblem } from '../core/readings/problems.ts';
import { capitalised } from '../lib/capitalised.ts';
import { nearest } from '../lib/nearest-name.ts';
import { shownText } from '../lib/printable-text.ts';
import { durationInWords, recordedText } from '../lib/units.ts';
import type { AlertRule } from './alerts.settings.schema.ts';
import type { RuleCheck } from './rule-state.ts';

export type KnownProblems = ReadonlyMap<string, KnownProblem>;

export interface KnownProblem {
  module: string;
  announced: boolean;
  problem: ModuleProblem<unknown>;
}

/** All problems that the definitions of modules declare. */
export async function knownProblems(modules: readonly ModuleDefinition[]): Promise<KnownProblems> {
  const known = new Map<string, KnownProblem>();
  for (const { name, problems } of modules) {
    const given = await problems?.();
    for (const [kind, problem] of Object.entries(given?.problems ?? {}))
      known.set(kind, { module: name, announced: given?.announced ?? false, problem });
  }
  return known;
}

export type AlertCondition =
  | { kind: 'series'; name: string; title: string; unit: string; threshold: number; isAbove: boolean; clear: number }
  | { kind: 'problem'; module: string; announced: boolean; percent: number | null; problem: ModuleProblem<unknown> }
  | { kind: 'event'; name: string; title: string }
  | { kind: 'wrong'; reason: string };

/** Default hysteresis of a series: 5 % of the threshold. */
const usualWayBack = 0.05;
/** Hysteresis of a problem with a level, percent. */
const usualPercentBack = 2;

export function conditionOf(
  { when }: Pick<AlertRule, 'when'>,
  known: KnownHistory,
  problems: KnownProblems,
): AlertCondition {
  const { series, event, above, below, clear, percent } = when;
  if (series !== undefined) {
    const [base = ''] = series.split('/');
    const recorded = known.series.get(base);
    if (recorded === undefined) return { kind: 'wrong', reason: unknownName('series', base, known.series.keys()) };
    const isAbove = above !== undefined;
    const threshold = above ?? below ?? 0;
    const back = Math.abs(threshold) * usualWayBack;
    return {
      kind: 'series',
      name: series,
      title: seriesTitle(series, recorded.title ?? base),
      unit: recorded.unit,
      threshold,
      isAbove,
      clear: clear ?? (isAbove ? threshold - back : threshold + back),
    };
  }
  const name = event ?? '';
  const found = problems.get(name);
  if (found !== undefined) {
    const { module, announced, problem } = found;
    if (percent !== undefined && problem.percent === undefined)
      return { kind: 'wrong', reason: `the event ${name} has no percent` };
    return { kind: 'problem', module, announced, problem, percent: percent ?? problem.percent ?? null };
  }
  if (!known.kinds.has(name))
    return { kind: 'wrong', reason: unknownName('event', name, [...problems.keys(), ...known.kinds.keys()]) };
  if (percent !== undefined) return { kind: 'wrong', reason: `the event ${name} has no percent` };
  return { kind: 'event', name, title: known.kinds.get(name)?.description ?? name };
}

/** `temperature/nvme` → Temperature (nvme). */
function seriesTitle(series: string, title: string): string {
  const [, ...device] = series.split('/');
  return device.length === 0 ? title : `${title} (${device.join('/')})`;
}

/** `disk_full` → Disk full, `ups_on_battery` → UPS on battery. */
const inWords = (name: string) => capitalised(name.replaceAll('_', ' ').replace(/^ups\b/, 'UPS'));

/** `there is no series "cpuu"; did you mean cpu?` */
function unknownName(what: string, name: string, known: Iterable<string>): string {
  const all = [...known];
  const meant = nearest(name, all);
  const shown = `there is no ${what} ${JSON.stringify(name.slice(0, 64))}`;
  return meant === null ? `${shown}; there are ${all.join(', ')}` : `${shown}; did you mean ${meant}?`;
}

export function checkSeries(
  condition: Extract<AlertCondition, { kind: 'series' }>,
  values: ReadonlyMap<string, number | null>,
  isActive: boolean,
): RuleCheck {
  const { name, title, threshold, isAbove, clear, unit } = condition;
  const measured = values.get(name) ?? null;
  if (measured === null || !Number.isFinite(measured))
    return { kind: 'missing', reason: missingSeries(name, title, values) };
  // Measurements are not more precise than this.
  const value = Number(measured.toPrecision(6));
  const limit = isActive ? clear : threshold;
  if (isAbove ? value <= limit : value >= limit) return { kind: 'off', value };
  const text = `${title} is at ${amountOf(value, unit)}, ${isAbove ? 'above' : 'below'} ${amountOf(threshold, unit)}`;
  return { kind: 'on', value, text, subjects: [] };
}

function missingSeries(name: string, title: string, values: ReadonlyMap<string, number | null>): string {
  if (values.has(name)) return `${title} is not known at the moment`;
  const [base = ''] = name.split('/');
  const others = [...values.keys()].filter((key) => key === base || key.startsWith(`${base}/`)).slice(0, 8);
  return others.length === 0
    ? `${title} is not measured on this machine`
    : `there is no ${name}; available: ${others.join(', ')}`;
}

export function checkProblems(
  { problem, percent }: Extract<AlertCondition, { kind: 'problem' }>,
  match: string | undefined,
  payload: unknown,
  isActive: boolean,
): RuleCheck {
  const reason = problem.lacks?.(payload) ?? null;
  if (reason !== null) return { kind: 'missing', reason };
  const level = percent ?? 0;
  const all = problem.find(payload, isActive && percent !== null ? Math.max(0, level - usualPercentBack) : level);
  const found = all.filter(({ subject }) => match === undefined || isMatch(match, subject)).slice(0, mostSubjects);
  if (found.length === 0) return { kind: 'off', value: null };
  return {
    kind: 'on',
    value: highest(found),
    text: shownText(found.map(({ text }) => text).join('; '), longestText),
    subjects: found.map(({ subject }) => shownText(subject, 256)),
  };
}

/** The number of mounts and units is unbounded; a notification is not. */
const mostSubjects = 20;
export const longestText = 1000;

const highest = (found: readonly FoundProblem[]): number | null => {
  const values = found.flatMap(({ value }) => value ?? []);
  return values.length === 0 ? null : Math.max(...values);
};

/** `*` matches anything; a pattern without it matches any part of the text. */
export function isMatch(pattern: string, text: string): boolean {
  const parts = pattern.split('*');
  const [first = '', ...rest] = parts;
  if (rest.length === 0) return text.includes(pattern);
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last)) return false;
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found === -1 || found + part.length > text.length - last.length) return false;
    at = found + part.length;
  }
  return true;
}

/** `Processor above 90 % for 5 min`, `Disk full to 95 % (/home)`. */
export function conditionInWords({ when }: Pick<AlertRule, 'when'>, condition: AlertCondition): string {
  const { match, for: seconds = 0 } = when;
  const what = `${watchedInWords({ when }, condition)}${match === undefined ? '' : ` (${match})`}`;
  return seconds === 0 ? what : `${what} for ${durationInWords(seconds)}`;
}

function watchedInWords({ when }: Pick<AlertRule, 'when'>, condition: AlertCondition): string {
  const { series, event = '', above, below = 0 } = when;
  const level = (unit: string) => `${above === undefined ? 'below' : 'above'} ${amountOf(above ?? below, unit)}`;
  switch (condition.kind) {
    case 'series':
      return `${condition.title} ${level(condition.unit)}`;
    case 'problem':
      return `${inWords(event)}${condition.percent === null ? '' : ` to ${condition.percent} %`}`;
    case 'event':
      return condition.title;
    case 'wrong':
      return series === undefined ? event : `${series} ${level('')}`;
  }
}

export const amountOf = (value: number, unit: string): string => recordedText(value, unit, rounded);

function rounded(value: number, digits: number | undefined): number {
  if (digits === undefined) return Number(value.toPrecision(4));
  const size = Math.abs(value);
  return Number(size >= 1 ? value.toFixed(size >= 100 ? 0 : 1) : value.toPrecision(2));
}
