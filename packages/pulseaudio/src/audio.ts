import type { PulseConnection } from './connection.ts';
import { type EntryFields, entryFieldsOf, type PulseClient, readClient } from './entries.ts';
import {
  encodeBytes,
  encodeFlag,
  encodeProperties,
  encodeText,
  encodeU32,
  encodeVolume,
  type PulseProperties,
  type PulseVolume,
} from './tagstruct.ts';

/**
 * All outputs, inputs and streams, and the commands that change them.
 * https://gitlab.freedesktop.org/pulseaudio/pulseaudio/-/blob/master/PROTOCOL
 */
export interface PulseAudio {
  server(): Promise<PulseServer>;
  sinks(): Promise<PulseDevice[]>;
  /** The output that programs use unless they choose. */
  defaultSink(): Promise<PulseDevice>;
  sources(): Promise<PulseDevice[]>;
  clients(): Promise<PulseClient[]>;
  /** Streams of programs, those that play first. */
  streams(): Promise<PulseStream[]>;
  /** Streams that record something. */
  recording(): Promise<PulseStream[]>;
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
  authenticate: 8,
  setClientName: 9,
  server: 20,
  oneSink: 21,
  sinks: 22,
  sources: 24,
  clients: 28,
  sinkInputs: 30,
  sourceOutputs: 32,
  subscribe: 35,
  sink: { volume: 36, mute: 39, setDefault: 44, streamVolume: 37, streamMute: 69, moveStream: 67 },
  source: { volume: 38, mute: 40, setDefault: 45, streamVolume: 98, streamMute: 99, moveStream: 68 },
};
const noIndex = 0xffff_ffff;

/** Of 2011. Both sides leave out what came later, so the layouts below are the same with every server. */
const protocolVersion = 22;

/** Authenticates, and sets the name of this program that users see. Throws where the server is older than the protocol. */
export async function introduce(
  connection: PulseConnection,
  cookie: Uint8Array,
  applicationName: string,
): Promise<void> {
  const [version] = await connection.command(codes.authenticate, encodeU32(protocolVersion), encodeBytes(cookie));
  // The upper half of the number is about shared memory.
  if (typeof version !== 'number' || (version & 0xffff) < protocolVersion)
    throw new Error('it is older than PulseAudio 1.0');
  await connection.command(codes.setClientName, encodeProperties({ 'application.name': applicationName }));
}

const [SINKS, SOURCES, SINK_INPUTS, SOURCE_OUTPUTS, CLIENTS, SERVER] = [0x1, 0x2, 0x4, 0x8, 0x20, 0x80];
const changes = {
  /** The server itself is its choice of default devices. */
  all: SINKS | SOURCES | SINK_INPUTS | SOURCE_OUTPUTS | SERVER,
  recording: SOURCES | SOURCE_OUTPUTS | CLIENTS,
};

/** Requests events for these changes. */
export async function subscribe(connection: PulseConnection, to: keyof typeof changes): Promise<void> {
  await connection.command(codes.subscribe, encodeU32(changes[to]));
}

export function audioOver(connection: PulseConnection): PulseAudio {
  const list = async <T>(code: number, readEntry: (fields: EntryFields) => T) => {
    const fields = entryFieldsOf(await connection.command(code));
    const entries: T[] = [];
    while (fields.left()) entries.push(readEntry(fields));
    return entries;
  };
  const listRecording = () => list(codes.sourceOutputs, readSourceStream);
  const order = async (code: number, ...fields: Uint8Array[]) => void (await connection.command(code, ...fields));
  // An index and no name.
  const device = (index: number) => [encodeU32(index), encodeText(null)];
  return {
    server: async () => readServer(entryFieldsOf(await connection.command(codes.server))),
    sinks: () => list(codes.sinks, (fields) => readDevice(fields, 'sink')),
    async defaultSink() {
      // Servers resolve this name; without an index it counts.
      const name = [encodeU32(noIndex), encodeText('@DEFAULT_SINK@')];
      return readDevice(entryFieldsOf(await connection.command(codes.oneSink, ...name)), 'sink');
    },
    sources: () => list(codes.sources, (fields) => readDevice(fields, 'source')),
    clients: () => list(codes.clients, readClient),
    async streams() {
      const [playing, recording] = await Promise.all([list(codes.sinkInputs, readSinkInput), listRecording()]);
      return [...playing, ...recording];
    },
    recording: listRecording,
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
