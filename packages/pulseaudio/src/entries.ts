import type { PulseProperties, PulseValue, PulseVolume } from './tagstruct.ts';

export interface SourceOutput {
  name: string | null;
  client: number;
  source: number;
  properties: PulseProperties;
  /** Paused by the program itself. */
  corked: boolean;
}

export interface PulseSource {
  index: number;
  name: string;
  /** The output device whose sound this source repeats; null: it is a real input. */
  monitorOf: number | null;
}

/** An output device: speakers, headphones. */
export interface PulseSink {
  index: number;
  name: string;
  description: string;
  volume: PulseVolume;
  muted: boolean;
}

export interface PulseClient {
  index: number;
  name: string | null;
  properties: PulseProperties;
}

export function readSourceOutput(fields: EntryFields): SourceOutput {
  fields.skip(1);
  const name = fields.text();
  fields.skip(1);
  const client = fields.number();
  const source = fields.number();
  // Sample format, channels, two latencies, resampler, driver.
  fields.skip(6);
  const properties = fields.properties();
  const corked = fields.next() === true;
  // Volume, mute, two abilities, format.
  fields.skip(5);
  return { name, client, source, properties, corked };
}

const invalidIndex = 0xffff_ffff;

export function readSource(fields: EntryFields): PulseSource {
  const index = fields.number();
  const name = fields.text() ?? '';
  // Description, sample format, channels, module, volume, mute.
  fields.skip(6);
  const sink = fields.number();
  // Name of the monitored sink, latency, driver, flags, properties, wanted latency, base volume, state, volume steps, card.
  fields.skip(10);
  const ports = fields.number();
  fields.skip(3 * ports + 1);
  fields.skip(fields.number());
  return { index, name, monitorOf: sink === invalidIndex ? null : sink };
}

/** Of one sink; what follows is left unread. */
export function readSink(fields: EntryFields): PulseSink {
  const index = fields.number();
  const name = fields.text() ?? '';
  const description = fields.text() ?? name;
  // Sample format, channels, module.
  fields.skip(3);
  const volume = fields.volume();
  return { index, name, description, volume, muted: fields.next() === true };
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
