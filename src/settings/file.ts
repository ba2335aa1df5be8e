import { isDeepStrictEqual } from 'node:util';
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
import { ServiceError } from '../core/errors.ts';
import { isPlainObject, mergeSettings } from './change.ts';
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
  const errors: ParseError[] = [];
  const value: unknown =
    parse(text.replace(/^\uFEFF/, ' '), errors, { allowTrailingComma: true, allowEmptyContent: true }) ?? {};
  const [error] = errors;
  if (error !== undefined) {
    const broken = `${sentence(printParseErrorCode(error.error))} at ${place(text, error.offset)}`;
    return { settings: defaultSettings, broken, complaints: [] };
  }
  if (!isPlainObject(value))
    return { settings: defaultSettings, broken: 'it must hold an object { … }', complaints: [] };
  return withoutBadValues(value, text);
}

/** A value of the wrong kind costs itself only: it is left out, and said. */
function withoutBadValues(value: Record<string, unknown>, text: string): ReadSettings {
  const complaints: string[] = [];
  let candidate = value;
  for (;;) {
    const result = settingsSchema.safeParse(mergeSettings(defaultSettings, candidate));
    if (result.success) return { settings: result.data, broken: null, complaints };
    const [issue] = result.error.issues;
    const path = (issue?.path ?? []).filter((key) => typeof key !== 'symbol');
    const removed = without(candidate, path);
    complaints.push(
      `${path.join('.') || 'the file'}${at(text, path)}: ${issue?.message ?? 'not valid'}; the default is used`,
    );
    if (removed === null) return { settings: defaultSettings, broken: null, complaints };
    candidate = removed;
  }
}

/** A copy without the value at a path, or without the nearest container of it that is there. */
function without(value: Record<string, unknown>, [key, ...rest]: (string | number)[]): Record<string, unknown> | null {
  if (key === undefined || !Object.hasOwn(value, key)) return null;
  const inner = value[key];
  const { [key]: _gone, ...others } = value;
  if (rest.length === 0 || !isPlainObject(inner)) return others;
  const reduced = without(inner, rest);
  return reduced === null ? others : { ...others, [key]: reduced };
}

/** Throws when what was asked for are no settings; the sentence names the first mistake. */
export function validateSettings(value: unknown): Settings {
  const result = settingsSchema.safeParse(value);
  if (result.success) return result.data;
  throw new ServiceError('invalid', describeIssue(result.error));
}

function describeIssue(error: z.ZodError): string {
  const [issue] = error.issues;
  return `${issue?.path.join('.') || 'settings'}: ${issue?.message ?? 'not valid'}`;
}

/** The file's text with what changed between two settings, comments and unknown keys kept. */
export function editSettings(text: string, before: Settings, after: Settings): string {
  const edits = changedPaths(before, after, []);
  const formattingOptions = { insertSpaces: true, tabSize: 2, eol: '\n' };
  return edits.reduce(
    (current, [path, value]) => applyEdits(current, modify(current, path, value, { formattingOptions })),
    text.trim() === '' ? '{}\n' : text,
  );
}

function changedPaths(before: unknown, after: unknown, path: string[]): [string[], unknown][] {
  if (isDeepStrictEqual(before, after)) return [];
  if (!isPlainObject(before) || !isPlainObject(after)) return [[path, after]];
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
