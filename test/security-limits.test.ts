import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';

/** The limits in docs/security.md are those in the code, and the tests it names exist. */

const root = path.join(import.meta.dirname, '..');
const row = /^\| (?<limit>.+?) \| (?<value>[\d.,]+)(?: (?<unit>\S+))? \| `(?<file>\S+)` `(?<name>\S+)` \|$/;
const factors: Record<string, number> = {
  '%': 0.01,
  ms: 1,
  s: 1000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  KiB: 1024,
  MiB: 1024 * 1024,
};

const document = fs.readFileSync(path.join(root, 'docs/security.md'), 'utf8');
const sections = document.split(/^## /m);
const lines = sections.find((text) => text.startsWith('Limits\n'))?.match(/^\|.+\|$/gm) ?? [];
const limits = lines.slice(2).map((line) => {
  const found = row.exec(line)?.groups;
  if (found === undefined) throw new Error(`Not a limit: ${line}`);
  const { limit = '', value = '', unit, file = '', name = '' } = found;
  const factor = unit === undefined ? 1 : factors[unit];
  if (factor === undefined) throw new Error(`Unknown unit: ${line}`);
  return { limit, value: Number(value.replaceAll(',', '')) * factor, file, name };
});

describe('the limits in docs/security.md', () => {
  test('are found in the document', () => {
    expect(limits.length).toBeGreaterThan(60);
  });

  test.each(limits)('$limit: $name', async ({ value, file, name }) => {
    expect(await constantAt(file, name)).toBeCloseTo(value, 9);
  });
});

test('the tests that docs/security.md names exist', () => {
  const named = [...document.matchAll(/`(\S+\.test\.ts)`/g)].map(([, file = '']) => file);
  expect(named.filter((file) => new Bun.Glob(file).scanSync(root).next().done)).toEqual([]);
});

/** An exported constant, or one that only its source text shows. */
async function constantAt(file: string, name: string): Promise<unknown> {
  const [constant = '', ...keys] = name.split('.');
  const place = path.join(root, file);
  const source = fs.readFileSync(place, 'utf8');
  if (new RegExp(`^export const ${constant}\\b`, 'm').test(source)) {
    const exported: unknown = await import(place);
    return [constant, ...keys].reduce(propertyOf, exported);
  }
  const initialiser = new RegExp(`^const ${constant} = (.+);$`, 'm').exec(source)?.[1] ?? '';
  const [key] = keys;
  return productOf(key === undefined ? initialiser : (new RegExp(`\\b${key}: ([^,}]+)`).exec(initialiser)?.[1] ?? ''));
}

function propertyOf(value: unknown, key: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, key) : undefined;
}

/** Of `12 * 3600_000`. */
function productOf(text: string): number {
  return text.split('*').reduce((product, factor) => product * Number(factor.trim().replaceAll('_', '') || 'none'), 1);
}
