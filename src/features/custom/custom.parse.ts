import type { Settings } from '../../settings/settings.schema.ts';

export type CustomSensor = Settings['custom']['sensors'][number];

const longestText = 4096;
const mostLines = 100;
const longestLine = 500;
const longestJson = 16 * 1024;
const deepest = 8;

/** The value of a text. Throws a sentence if it cannot be parsed. */
export function parseCustomValue({ parse, path }: Pick<CustomSensor, 'parse' | 'path'>, text: string): unknown {
  if (parse === 'number') return parseNumber(text);
  if (parse === 'json') return parseJson(text, path);
  if (parse === 'text') return tame(text.slice(0, longestText).trimEnd());
  return text
    .replace(/\n$/, '')
    .split('\n', mostLines)
    .map((line) => tame(line.slice(0, longestLine).trimEnd()));
}

/** The leading number: a unit or more numbers may follow, but no further part of the same word. */
function parseNumber(text: string): number {
  const found = /^\s*([-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[-+]?\d{1,3})?)(?![\w.,])/i.exec(text)?.[1];
  const value = Number(found ?? Number.NaN);
  if (!Number.isFinite(value)) throw new Error('Its text does not begin with a number');
  return value;
}

function parseJson(text: string, path: string): unknown {
  let value = parsed(text);
  for (const key of path === '' ? [] : path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key))
      throw new Error(`Its JSON has no ${JSON.stringify(path)}`);
    value = Object.getOwnPropertyDescriptor(value, key)?.value;
  }
  if (value === null) throw new Error('Its JSON value is null');
  const known = tamed(value, 0);
  if (JSON.stringify(known).length > longestJson) throw new Error(`Its JSON is longer than ${longestJson} characters`);
  return known;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('Its text is not JSON');
  }
}

function tamed(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return tame(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth >= deepest) throw new Error(`Its JSON is nested deeper than ${deepest} levels`);
  if (Array.isArray(value)) return value.map((each) => tamed(each, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [tame(key), tamed(each, depth + 1)]));
}

/** Replaces invisible and bidirectional control characters. Line ends and tabs stay. */
const tame = (text: string): string => text.toWellFormed().replace(/(?![\n\t])[\p{C}\p{Zl}\p{Zp}]/gu, '\ufffd');
