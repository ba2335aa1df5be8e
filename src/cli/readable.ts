import { z } from 'zod';
import { type Unit, unitKey } from '../core/unit.schema.ts';
import { bytesInWords, durationInWords, timeInWords } from '../lib/human-units.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A payload with its numbers in words, by the units in its schema: `23.5 GiB`, `2 h 5 min`. */
export function readable(payload: unknown, schema: z.ZodType): unknown {
  const document = z.toJSONSchema(schema, { unrepresentable: 'any', reused: 'inline' });
  return inWords(payload, document);
}

function inWords(value: unknown, schema: JsonSchema | boolean | undefined): unknown {
  if (schema === undefined || typeof schema === 'boolean') return value;
  const known = present(schema);
  if (Array.isArray(value)) {
    const items = Array.isArray(known.items) ? undefined : known.items;
    return value.map((entry) => inWords(entry, items));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, inner]) => [key, inWords(inner, known.properties?.[key])]),
    );
  }
  const name = schema[unitKey] ?? known[unitKey];
  return typeof value === 'number' && isUnit(name) ? words[name](value) : value;
}

/** The schema of its non-null value. */
function present(schema: JsonSchema): JsonSchema {
  const [only, ...others] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  return only !== undefined && others.length === 0 ? only : schema;
}

const isUnit = (name: unknown): name is Unit => typeof name === 'string' && Object.hasOwn(words, name);

const followedBy = (sign: string) => (value: number) => `${Number(value.toFixed(2))} ${sign}`;

const words: Record<Unit, (value: number) => string> = {
  bytes: bytesInWords,
  mebibytes: (value) => bytesInWords(value * 2 ** 20),
  bits_per_second: followedBy('bit/s'),
  megabits_per_second: followedBy('Mbit/s'),
  seconds: durationInWords,
  milliseconds: (value) => (value < 1000 ? followedBy('ms')(value) : durationInWords(value / 1000)),
  // Where a field cannot be null, 0 stands for "unknown".
  unix_seconds: (value) => (value === 0 ? '-' : timeInWords(value)),
  percent: followedBy('%'),
  celsius: followedBy('°C'),
  hertz: followedBy('Hz'),
  megahertz: followedBy('MHz'),
  watts: followedBy('W'),
  volts: followedBy('V'),
  rpm: followedBy('rpm'),
  pixels: followedBy('px'),
  millimetres: followedBy('mm'),
  decibels: followedBy('dB'),
};
