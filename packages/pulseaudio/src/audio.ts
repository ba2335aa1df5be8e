import type { PulseConnection } from './connection.ts';
import { type EntryFields, entryFieldsOf } from './entries.ts';
import {
  encodeFlag,
  encodeText,
  encodeU32,
  encodeVolume,
  type PulseProperties,
  type PulseVolume,
} from './tagstruct.ts';

/** All outputs, inputs and streams, and the commands that change them. The layouts are those of protocol version 22, as in commands.ts. */
export interface PulseAudio {
  server(): Promise<PulseServer>;
  sinks(): Promise<PulseDevice[]>;
  sources(): Promise<PulseDevice[]>;
  /** Streams of programs, those that play first. */
  streams(): Promise<PulseStream[]>;
  setDeviceVolume(kind: DeviceKind, index: number, volume: PulseVolume): Promise<void>;
  setDeviceMuted(kind: DeviceKind, index: number, muted: boolean): Promise<void>;
  setDefault(kind: DeviceKind, name: string): Promise<void>;
  setStreamVolume(stream: PulseStream, volume: PulseVolume): Promise<void>;
  setStreamMuted(stream: PulseStream, muted: boolean): Promise<void>;
  moveStream(stream: PulseStream, device: number): Promise<void>;
}

/** Outputs such as speakers are sinks, inputs such as microphones are sources. */
export type DeviceKind = 'sink' | 'source';

export interface PulseServer {
  name: string | null;
  version: string | null;
  defaultSink: string | null;
  defaultSource: string | null;
}

export interface PulseDevice {
  index: number;
  name: string;
  description: string;
  volume: PulseVolume;
  muted: boolean;
  /** Of a source that repeats what an output plays: the name of that output. */
  monitorOf: string | null;
  state: 'running' | 'idle' | 'suspended' | null;
  /** Such as "Headphones"; null: it has no choice of them. */
  port: string | null;
}

export interface PulseStream {
  index: number;
  /** Of the device that it uses. */
  kind: DeviceKind;
  name: string | null;
  client: number | null;
  device: number;
  volume: PulseVolume | null;
  muted: boolean;
  /** Paused by the program itself. */
  corked: boolean;
  properties: PulseProperties;
}

const codes = {
  server: 20,
  sinks: 22,
  sources: 24,
  sinkInputs: 30,
  sourceOutputs: 32,
  subscribe: 35,
  sink: { volume: 36, mute: 39, setDefault: 44, streamVolume: 37, streamMute: 69, moveStream: 67 },
  source: { volume: 38, mute: 40, setDefault: 45, streamVolume: 98, streamMute: 99, moveStream: 68 },
};
/** Sinks, sources, streams of both, and the server itself, which is its choice of default devices. */
const everythingHere = 0x1 | 0x2 | 0x4 | 0x8 | 0x80;
const noIndex = 0xffff_ffff;

/** Subscribes to all changes. */
export async function subscribeAudio(connection: PulseConnection): Promise<void> {
  await connection.command(codes.subscribe, encodeU32(everythingHere));
}

export function audioOver(connection: PulseConnection): PulseAudio {
  const list = async <T>(code: number, readEntry: (fields: EntryFields) => T) => {
    const fields = entryFieldsOf(await connection.command(code));
    const entries: T[] = [];
    while (fields.left()) entries.push(readEntry(fields));
    return entries;
  };
  const order = async (code: number, ...fields: Uint8Array[]) => void (await connection.command(code, ...fields));
  // An index and no name.
  const device = (index: number) => [encodeU32(index), encodeText(null)];
  return {
    server: async () => readServer(entryFieldsOf(await connection.command(codes.server))),
    sinks: () => list(codes.sinks, (fields) => readDevice(fields, 'sink')),
    sources: () => list(codes.sources, (fields) => readDevice(fields, 'source')),
    async streams() {
      const [playing, recording] = await Promise.all([
        list(codes.sinkInputs, readSinkInput),
        list(codes.sourceOutputs, readSourceStream),
      ]);
      return [...playing, ...recording];
    },
    setDeviceVolume: (kind, index, volume) => order(codes[kind].volume, ...device(index), encodeVolume(volume)),
    setDeviceMuted: (kind, index, muted) => order(codes[kind].mute, ...device(index), encodeFlag(muted)),
    setDefault: (kind, name) => order(codes[kind].setDefault, encodeText(name)),
    setStreamVolume: ({ kind, index }, volume) =>
      order(codes[kind].streamVolume, encodeU32(index), encodeVolume(volume)),
    setStreamMuted: ({ kind, index }, muted) => order(codes[kind].streamMute, encodeU32(index), encodeFlag(muted)),
    async moveStream({ kind, index, muted }, target) {
      await order(codes[kind].moveStream, encodeU32(index), ...device(target));
      // PipeWire acknowledges before it has forwarded this, and drops it if we disconnect then; the acknowledgement of this request comes later.
      await order(codes[kind].streamMute, encodeU32(index), encodeFlag(muted));
    },
  };
}

function readServer(fields: EntryFields): PulseServer {
  const [name, version] = [fields.text(), fields.text()];
  // User, machine, sample format.
  fields.skip(3);
  return { name, version, defaultSink: fields.text(), defaultSource: fields.text() };
}

const states = ['running', 'idle', 'suspended'] as const;

function readDevice(fields: EntryFields, kind: DeviceKind): PulseDevice {
  const index = fields.number();
  const name = fields.text() ?? '';
  const description = fields.text() ?? name;
  // Sample format, channels, module.
  fields.skip(3);
  const volume = fields.volume();
  const muted = fields.next() === true;
  fields.skip(1);
  const other = fields.text();
  // Latency, driver, flags, properties, wanted latency, base volume.
  fields.skip(6);
  const state = states[fields.number()] ?? null;
  // Volume steps, card.
  fields.skip(2);
  const ports = new Map<string | null, string | null>();
  for (let left = fields.number(); left > 0; left -= 1) {
    ports.set(fields.text(), fields.text());
    fields.skip(1);
  }
  const port = ports.get(fields.text()) ?? null;
  fields.skip(fields.number());
  return { index, name, description, volume, muted, monitorOf: kind === 'source' ? other : null, state, port };
}

function readSinkInput(fields: EntryFields): PulseStream {
  const start = readStreamStart(fields);
  const volume = fields.volume();
  // Two latencies, resampler, driver.
  fields.skip(4);
  const muted = fields.next() === true;
  const properties = fields.properties();
  const corked = fields.next() === true;
  return { ...start, kind: 'sink', volume: endOfStream(fields, volume), muted, corked, properties };
}

function readSourceStream(fields: EntryFields): PulseStream {
  const start = readStreamStart(fields);
  fields.skip(4);
  const properties = fields.properties();
  const corked = fields.next() === true;
  const volume = fields.volume();
  const muted = fields.next() === true;
  return { ...start, kind: 'source', volume: endOfStream(fields, volume), muted, corked, properties };
}

function readStreamStart(fields: EntryFields): Pick<PulseStream, 'index' | 'name' | 'client' | 'device'> {
  const index = fields.number();
  const name = fields.text();
  fields.skip(1);
  const client = fields.number();
  const device = fields.number();
  // Sample format, channels.
  fields.skip(2);
  return { index, name, client: client === noIndex ? null : client, device };
}

/** Some streams, such as those of compressed sound, have no volume. */
function endOfStream(fields: EntryFields, volume: PulseVolume): PulseVolume | null {
  const has = fields.next() === true;
  // Whether it can be changed, format.
  fields.skip(2);
  return has ? volume : null;
}
