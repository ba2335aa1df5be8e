import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import type { z } from 'zod';
import { describeIssues, issueText } from '../core/json/schema-issues.ts';
import { ServiceError } from '../lib/errors.ts';
import { NewerFile } from '../lib/file-version.ts';
import { isEqual, isObject } from '../lib/values.ts';
import { mergeSettings } from './change.ts';
import { isLocked, isWithin, type MachineSettings, noMachineSettings, settingAt } from './locks.ts';
import type { Settings } from './settings.schema.ts';
import { migrateSettings, settingsVersion, versionKey } from './settings-version.ts';
import { leavesOf, unknownPaths, unknownSetting } from './unknown-keys.ts';

export interface ReadSettings {
  settings: Settings;
  /** Not JSON: the error and its position. */
  broken: string | null;
  /** Values that are not used, with their position; the defaults replace them. */
  complaints: string[];
  /** Keys of the file without effect: the administrator has locked them to other values. */
  overruled: string[];
  /** A newer program wrote it: the error message. Nothing of it is used. */
  newer: string | null;
}

/** The schema of the settings, and the values without a file. */
export interface SettingsForm {
  schema: z.ZodType<Settings>;
  defaults: Settings;
}

/** The settings of a file's text, over the administrator's defaults and under the locks. Comments and trailing commas are accepted. */
export function readSettings(
  form: SettingsForm,
  text: string,
  machine: MachineSettings = noMachineSettings(form.defaults),
  file = 'settings.json',
): ReadSettings {
  const unusable = { settings: lockedOver(machine.defaults, machine), overruled: [], newer: null };
  const parsed = parseSettingsText(text, file);
  if ('newer' in parsed) return { ...unusable, broken: null, complaints: [], newer: parsed.newer };
  if ('broken' in parsed) return { ...unusable, broken: parsed.broken, complaints: [] };
  const { settings, taken, complaints } = withoutBadValues(form.schema, parsed.value, { text, machine });
  for (const unknown of unknownPaths(taken, settings)) {
    if (complaints.length > maxComplaints) break;
    const isLast = complaints.length === maxComplaints;
    complaints.push(
      isLast
        ? 'and more like these'
        : unknownSetting(unknown, form.defaults, at(text, unknown).replace(/^ at (.+)$/, ' ($1)')),
    );
  }
  const overruled = (machine.locks?.keys ?? []).filter((key) => {
    const own = settingAt(parsed.value, key);
    return own !== undefined && !isEqual(own, settingAt(settings, key));
  });
  return { settings, broken: null, complaints, overruled, newer: null };
}

export type ParsedSettings =
  | { value: Record<string, unknown>; isOlder: boolean }
  | { broken: string }
  | { newer: string };

/** The object in a file, migrated to this version, unchecked. */
export function parseSettingsText(text: string, file: string): ParsedSettings {
  // The parser recurses; no settings are nested anywhere near this deep.
  if (deepest(text) > 100) return { broken: 'it is nested too deeply' };
  const errors: ParseError[] = [];
  const value: unknown =
    parse(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true, allowEmptyContent: true }) ?? {};
  const [error] = errors;
  if (error !== undefined)
    return { broken: `${sentence(printParseErrorCode(error.error))} at ${place(text, error.offset)}` };
  if (!isObject(value)) return { broken: 'it must contain an object { … }' };
  try {
    return migrateSettings(value, file);
  } catch (cause) {
    if (cause instanceof NewerFile) return { newer: cause.message };
    throw cause;
  }
}

const maxComplaints = 20;

interface Checking {
  text: string;
  machine: MachineSettings;
  /** The position of the value in the text. */
  within?: string[];
}

interface Checked {
  settings: Settings;
  /** The input without its bad values. */
  taken: Record<string, unknown>;
  complaints: string[];
}

/** Only the value of the wrong type is dropped, with a complaint. */
export function withoutBadValues(
  schema: z.ZodType<Settings>,
  value: Record<string, unknown>,
  { text, machine, within = [] }: Checking,
): Checked {
  const complaints: string[] = [];
  const taken = structuredClone(value);
  for (;;) {
    const result = schema.safeParse(lockedOver(mergeSettings(machine.defaults, taken), machine));
    if (result.success) return { settings: result.data, taken, complaints };
    let removed = 0;
    for (const issue of result.error.issues) {
      const path = issue.path.filter((key) => typeof key !== 'symbol');
      if (isWithin(machine.locked, path) || !removeSetting(taken, path)) continue;
      removed += 1;
      if (complaints.length === maxComplaints) complaints.push('and more like these');
      if (complaints.length >= maxComplaints) continue;
      const inText = [...within, ...path];
      complaints.push(`${inText.join('.')}${at(text, inText)} ${issueText(issue)}; the default is used`);
    }
    if (removed > 0) continue;
    // Each value is valid, but a locked value is not valid beside them.
    const paths = result.error.issues.map(({ path }) => path.join('.'));
    const against = new Set(
      paths.flatMap((path) => keysAgainstLocks(schema, taken, path.split('.')[0] ?? '', machine)),
    );
    if (against.size === 0) return { settings: machine.defaults, taken: {}, complaints: ['no part of it can be used'] };
    const { keys = [], file = '' } = machine.locks ?? {};
    const locked = keys.filter((key) => paths.some((path) => `${path}.`.startsWith(`${key}.`)));
    for (const key of against) {
      complaints.push(`${key} is not used because it contradicts ${locked.join(', ')}, which ${file} locks`);
      removeSetting(taken, key.split('.'));
    }
  }
}

/** Keys of one section that are invalid beside the locks; all keys of the section if only their combination is invalid. */
function keysAgainstLocks(
  schema: z.ZodType<Settings>,
  taken: Record<string, unknown>,
  section: string,
  machine: MachineSettings,
): string[] {
  const keys = leavesOf(taken).filter((key) => key.split('.')[0] === section && !isLocked(machine.locks, key));
  const alone = keys.filter((key) => {
    const one = nested(key.split('.'), settingAt(taken, key));
    return !schema.safeParse(lockedOver(mergeSettings(machine.defaults, one), machine)).success;
  });
  return alone.length > 0 ? alone : keys;
}

function lockedOver<T>(value: T, { locked }: MachineSettings): T {
  // The merged object has the form of settings: it was checked as such.
  return mergeSettings(value, locked) as T;
}

/** Removes the value at a path, the list it is in, or the object that lacks it; false: it is gone already. */
export function removeSetting(value: Record<string, unknown>, [key, ...rest]: (string | number)[]): boolean {
  if (key === undefined || !Object.hasOwn(value, key)) return false;
  const inner = value[key];
  if (rest.length > 0 && isObject(inner)) {
    if (removeSetting(inner, rest)) return true;
    if (rest.length > 1) return false;
  }
  return delete value[key];
}

/** Throws if the requested settings are invalid; the message names the first mistake. */
export function validateSettings(schema: z.ZodType<Settings>, value: unknown): Settings {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new ServiceError('invalid', describeIssues(result.error, 'settings'));
}

/** Edits the text of a file to what changed between two settings. Comments and unknown keys are kept where possible. */
export function editSettings(
  form: SettingsForm,
  text: string,
  before: Settings,
  after: Settings,
  machine = noMachineSettings(form.defaults),
): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  const start = startOf(text);
  const changes = changedPaths(before, after, []);
  if (changes.length === 0) return start;
  try {
    const changed = changes.reduce(
      (current, [path, value]) => applyEdits(current, modify(current, path, value, { formattingOptions })),
      start,
    );
    const first = { formattingOptions, getInsertionIndex: () => 0 };
    const edited = applyEdits(changed, modify(changed, [versionKey], settingsVersion, first));
    if (isEqual(readSettings(form, edited, machine).settings, after)) return edited;
  } catch {
    // A section that is null or a list cannot hold a key.
  }
  const kept: unknown = parse(start, [], { allowTrailingComma: true });
  // Only the user's choices are written: the administrator's defaults may change later.
  const own = changes.reduce<unknown>((current, [path, value]) => mergeSettings(current, nested(path, value)), kept);
  return `${JSON.stringify({ [versionKey]: settingsVersion, ...(isObject(own) ? own : {}) }, null, 2)}\n`;
}

/** The text to edit: the original, or a migrated older version without its comments. */
function startOf(text: string): string {
  const parsed = parseSettingsText(text, '');
  if ('value' in parsed && parsed.isOlder)
    return `${JSON.stringify({ ...parsed.value, [versionKey]: settingsVersion }, null, 2)}\n`;
  return text.trim() === '' ? '{}\n' : text;
}

export const nested = (path: string[], value: unknown) =>
  path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), value);

function changedPaths(before: unknown, after: unknown, path: string[]): [string[], unknown][] {
  if (isEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [[path, after]];
  // Undefined removes a key.
  const keys = new Set([...Object.keys(after), ...Object.keys(before)]);
  return [...keys].flatMap((key) => changedPaths(before[key], after[key], [...path, key]));
}

/** " at line 1, column 2"; empty if the text has no such path. */
export function at(text: string, path: (string | number)[]): string {
  const tree = parseTree(text, [], { allowTrailingComma: true });
  const node = tree === undefined ? undefined : findNodeAtLocation(tree, path);
  return node === undefined ? '' : ` at ${place(text, node.offset)}`;
}

function place(text: string, offset: number): string {
  const before = text.slice(0, offset).split('\n');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`;
}

/** `CommaExpected` → `comma expected`. */
function sentence(code: string): string {
  return code.replace(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).toLowerCase();
}

function deepest(text: string): number {
  let depth = 0;
  let most = 0;
  for (const character of text) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    if (depth > most) most = depth;
  }
  return most;
}
