import { expect, test } from 'bun:test';
import { z } from 'zod';
import { unit, unitKey } from '../core/unit.schema.ts';
import { modules } from '../features/index.ts';
import { outline } from '../lib/text-table.ts';
import { readable } from './readable.ts';

const bytes = z.number().nullable().describe('Size, bytes').meta(unit('bytes'));

const schema = z.object({
  size: bytes,
  unknown: bytes,
  plain: z.number(),
  share: z.number().meta(unit('percent')).max(100).nullable(),
  parts: z.array(z.object({ for: z.number().meta(unit('seconds')) })).nullable(),
  login: z.number().meta(unit('unix_seconds')),
});

test('numbers get their units wherever they are in the payload, and the rest is unchanged', () => {
  const payload = {
    size: 25_234_767_872,
    unknown: null,
    plain: 1024,
    share: 12.3456,
    parts: [{ for: 7500 }, { for: 0 }],
    login: 0,
    added_later: 5,
  };
  expect(readable(payload, schema)).toEqual({
    size: '23.5 GiB',
    unknown: null,
    plain: 1024,
    share: '12.35 %',
    parts: [{ for: '2 h 5 min' }, { for: '0 s' }],
    login: '-',
    added_later: 5,
  });
});

test('a list at the top, as of processes, is a table with units', () => {
  const list = z.array(z.object({ name: z.string(), memory: bytes }));
  expect(outline(readable([{ name: 'sh', memory: 2048 }], list))).toBe('name  memory\nsh    2.00 KiB');
});

/** Sizes that people know in plain bytes. */
const plainBytes = ['mtu', 'max_path_length'];
const unitWords = /, (bytes|seconds|Unix seconds|milliseconds|MHz|Hz|watts|volts|°C|MiB|Mbit\/s|0-100)(?:;|$| since)/;

test.each(modules)('every field of $name whose description names a unit also has it for programs', async (module) => {
  const schema = z.toJSONSchema(await module.schema(), { unrepresentable: 'any', reused: 'inline' });
  expect(fieldsWithoutUnit(schema)).toEqual([]);
});

function fieldsWithoutUnit(schema: z.core.JSONSchema.BaseSchema, name = ''): string[] {
  const parts = [schema, ...(schema.anyOf ?? [])];
  const says = parts.some(({ description = '' }) => unitWords.test(description));
  const carries = parts.some((part) => part[unitKey] !== undefined);
  const own = says && !carries && !plainBytes.includes(name) ? [name] : [];
  const inner = parts.flatMap(({ properties = {}, items }) => [
    ...Object.entries(properties).flatMap(([key, field]) =>
      typeof field === 'object' ? fieldsWithoutUnit(field, key) : [],
    ),
    ...(typeof items === 'object' && !Array.isArray(items) ? fieldsWithoutUnit(items, `${name}[]`) : []),
  ]);
  return [...own, ...inner];
}
