import {
  applyEdits,
  findNodeAtLocation,
  modify,
  type ParseError,
  parse,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser';
import { describeIssues, issueText } from '../core/issues.ts';
import { ServiceError } from '../lib/errors.ts';
import { isEqual, isObject } from '../lib/values.ts';
import { mergeSettings } from './change.ts';
import { defaultSettings } from './settings.defaults.ts';
import { type Settings, settingsSchema } from './settings.schema.ts';

export interface ReadSettings {
  settings: Settings;
  /** Not JSON at all: what and where. */
  broken: string | null;
  /** Values that were not taken, with their place; the defaults stand for them. */
  complaints: string[];
}

/** The settings of a file's text. Comments and trailing commas are tolerated. */
export function readSettings(text: string): ReadSettings {
  // The parser recurses; no settings are nested anywhere near this deep.
  if (deepest(text) > 100) return { settings: defaultSettings, broken: 'it is nested too deeply', complaints: [] };
  const errors: ParseError[] = [];
  const value: unknown =
    parse(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true, allowEmptyContent: true }) ?? {};
  const [error] = errors;
  if (error !== undefined) {
    const broken = `${sentence(printParseErrorCode(error.error))} at ${place(text, error.offset)}`;
    return { settings: defaultSettings, broken, complaints: [] };
  }
  if (!isObject(value)) return { settings: defaultSettings, broken: 'it must contain an object { … }', complaints: [] };
  return withoutBadValues(value, text);
}

const maxComplaints = 20;

/** A value of the wrong kind costs itself only: it is left out, and said. */
function withoutBadValues(value: Record<string, unknown>, text: string): ReadSettings {
  const complaints: string[] = [];
  const candidate = structuredClone(value);
  for (;;) {
    const result = settingsSchema.safeParse(mergeSettings(defaultSettings, candidate));
    if (result.success) return { settings: result.data, broken: null, complaints };
    let removed = 0;
    for (const issue of result.error.issues) {
      const path = issue.path.filter((key) => typeof key !== 'symbol');
      if (!remove(candidate, path)) continue;
      removed += 1;
      if (complaints.length === maxComplaints) complaints.push('and more like these');
      if (complaints.length >= maxComplaints) continue;
      complaints.push(`${path.join('.')}${at(text, path)} ${issueText(issue)}; the default is used`);
    }
    if (removed === 0) return { settings: defaultSettings, broken: null, complaints: ['no part of it can be used'] };
  }
}

/** Takes the value at a path out, or the list it is in; false: it is gone already. */
function remove(value: Record<string, unknown>, [key, ...rest]: (string | number)[]): boolean {
  if (key === undefined || !Object.hasOwn(value, key)) return false;
  const inner = value[key];
  if (rest.length > 0 && isObject(inner) && remove(inner, rest)) return true;
  return delete value[key];
}

/** Throws when what was asked for are no settings; the sentence names the first mistake. */
export function validateSettings(value: unknown): Settings {
  const result = settingsSchema.safeParse(value);
  if (result.success) return result.data;
  throw new ServiceError('invalid', describeIssues(result.error, 'settings'));
}

/** The file's text with what changed between two settings, comments and unknown keys kept where that is possible. */
export function editSettings(text: string, before: Settings, after: Settings): string {
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  const start = text.trim() === '' ? '{}\n' : text;
  try {
    const edited = changedPaths(before, after, []).reduce(
      (current, [path, value]) => applyEdits(current, modify(current, path, value, { formattingOptions })),
      start,
    );
    if (isEqual(readSettings(edited).settings, after)) return edited;
  } catch {
    // A section that is null or a list has no place for a key.
  }
  const kept: unknown = parse(start, [], { allowTrailingComma: true });
  return `${JSON.stringify({ ...(isObject(kept) ? kept : {}), ...after }, null, 2)}\n`;
}

function changedPaths(before: unknown, after: unknown, path: string[]): [string[], unknown][] {
  if (isEqual(before, after)) return [];
  if (!isObject(before) || !isObject(after)) return [[path, after]];
  return Object.keys(after).flatMap((key) => changedPaths(before[key], after[key], [...path, key]));
}

function at(text: string, path: (string | number)[]): string {
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
