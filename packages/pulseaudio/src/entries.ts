import type { PulseProperties, PulseValue, PulseVolume } from './tagstruct.ts';

export interface PulseClient {
  index: number;
  name: string | null;
  properties: PulseProperties;
}

export function readClient(fields: EntryFields): PulseClient {
  const index = fields.number();
  const name = fields.text();
  fields.skip(2);
  return { index, name, properties: fields.properties() };
}

export type EntryFields = ReturnType<typeof entryFieldsOf>;

/** Reads values in order and checks their types. */
export function entryFieldsOf(values: PulseValue[]) {
  let at = 0;
  const next = (): PulseValue => {
    const value = values[at];
    if (value === undefined) throw new Error('it sent a truncated message');
    at += 1;
    return value;
  };
  return {
    left: () => at < values.length,
    next,
    skip(count: number) {
      for (let skipped = 0; skipped < count; skipped += 1) next();
    },
    number(): number {
      const value = next();
      if (typeof value === 'number') return value;
      throw new Error('it sent another type where a number was expected');
    },
    text(): string | null {
      const value = next();
      if (value === null || typeof value === 'string') return value;
      throw new Error('it sent another type where a text was expected');
    },
    volume(): PulseVolume {
      const value = next();
      if (Array.isArray(value)) return value;
      throw new Error('it sent another type where a volume was expected');
    },
    properties(): PulseProperties {
      const value = next();
      if (value instanceof Map) return value;
      throw new Error('it sent another type where properties were expected');
    },
  };
}
