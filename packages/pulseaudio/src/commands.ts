import type { PulseConnection } from './connection.ts';
import {
  type EntryFields,
  entryFieldsOf,
  type PulseClient,
  type PulseSink,
  type PulseSource,
  readClient,
  readSink,
  readSource,
  readSourceOutput,
  type SourceOutput,
} from './entries.ts';
import {
  encodeBytes,
  encodeFlag,
  encodeProperties,
  encodeText,
  encodeU32,
  encodeVolume,
  type PulseVolume,
} from './tagstruct.ts';

/** The recording streams, and the volume of one output. https://gitlab.freedesktop.org/pulseaudio/pulseaudio/-/blob/master/PROTOCOL */
export interface Pulse {
  /** Streams that record something. */
  sourceOutputs(): Promise<SourceOutput[]>;
  sources(): Promise<PulseSource[]>;
  clients(): Promise<PulseClient[]>;
  /** One output, by name; `defaultSink` is the one that programs use unless they choose. */
  sink(name: string): Promise<PulseSink>;
  setSinkVolume(name: string, volume: PulseVolume): Promise<void>;
  setSinkMuted(name: string, muted: boolean): Promise<void>;
}

/** Servers resolve this name to the current default. */
export const defaultSink = '@DEFAULT_SINK@';
/** 100 % of a channel. */
export const fullVolume = 65_536;

const AUTH = 8;
const SET_CLIENT_NAME = 9;
const GET_SINK_INFO = 21;
const GET_SOURCE_INFO_LIST = 24;
const GET_CLIENT_INFO_LIST = 28;
const GET_SOURCE_OUTPUT_INFO_LIST = 32;
const SUBSCRIBE = 35;
const SET_SINK_VOLUME = 36;
const SET_SINK_MUTE = 39;
/** The name counts. */
const noIndex = encodeU32(0xffff_ffff);

/** Of 2011. Both sides leave out what came later, so the layouts below are the same with every server. */
const protocolVersion = 22;

/** Authenticates, and sets the name of this program that users see. Throws where the server is older than the protocol. */
export async function introduce(
  connection: PulseConnection,
  cookie: Uint8Array,
  applicationName: string,
): Promise<void> {
  const [version] = await connection.command(AUTH, encodeU32(protocolVersion), encodeBytes(cookie));
  // The upper half of the number is about shared memory.
  if (typeof version !== 'number' || (version & 0xffff) < protocolVersion)
    throw new Error('it is older than PulseAudio 1.0');
  await connection.command(SET_CLIENT_NAME, encodeProperties({ 'application.name': applicationName }));
}

/** Requests events for changes of sources, recording streams and clients. */
export async function subscribe(connection: PulseConnection): Promise<void> {
  await connection.command(SUBSCRIBE, encodeU32(SOURCES | SOURCE_OUTPUTS | CLIENTS));
}

const SOURCES = 0x2;
const SOURCE_OUTPUTS = 0x8;
const CLIENTS = 0x20;

export function commandsOver(connection: PulseConnection): Pulse {
  const list = async <T>(command: number, readEntry: (fields: EntryFields) => T) => {
    const fields = entryFieldsOf(await connection.command(command));
    const entries: T[] = [];
    while (fields.left()) entries.push(readEntry(fields));
    return entries;
  };
  return {
    sourceOutputs: () => list(GET_SOURCE_OUTPUT_INFO_LIST, readSourceOutput),
    sources: () => list(GET_SOURCE_INFO_LIST, readSource),
    clients: () => list(GET_CLIENT_INFO_LIST, readClient),
    sink: async (name) => readSink(entryFieldsOf(await connection.command(GET_SINK_INFO, noIndex, encodeText(name)))),
    async setSinkVolume(name, volume) {
      await connection.command(SET_SINK_VOLUME, noIndex, encodeText(name), encodeVolume(volume));
    },
    async setSinkMuted(name, muted) {
      await connection.command(SET_SINK_MUTE, noIndex, encodeText(name), encodeFlag(muted));
    },
  };
}
