import { PeerRefusal } from '@hostler/io/local-socket.ts';
import {
  openPulseConnection,
  type PulseConnection,
  PulseError,
  type PulseEvents,
} from '@hostler/pulseaudio/connection.ts';
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
} from '@hostler/pulseaudio/entries.ts';
import {
  encodeBytes,
  encodeFlag,
  encodeProperties,
  encodeText,
  encodeU32,
  encodeVolume,
  type PulseVolume,
} from '@hostler/pulseaudio/tagstruct.ts';
import type { LinuxHost } from '../linux-host.ts';
import { cookieOf, isNobodyThere, serverPaths } from './pulse.server.ts';

/**
 * A client of the sound server: PulseAudio's native protocol, which PipeWire speaks as well.
 * https://gitlab.freedesktop.org/pulseaudio/pulseaudio/-/blob/master/PROTOCOL
 */
export interface Pulse {
  /** Streams that record something. */
  sourceOutputs(): Promise<SourceOutput[]>;
  sources(): Promise<PulseSource[]>;
  clients(): Promise<PulseClient[]>;
  /** One output, by name; `defaultSink` is the one that is used unless somebody chooses. */
  sink(name: string): Promise<PulseSink>;
  setSinkVolume(name: string, volume: PulseVolume): Promise<void>;
  setSinkMuted(name: string, muted: boolean): Promise<void>;
}

/** What servers take for whichever it is at that moment. */
export const defaultSink = '@DEFAULT_SINK@';
/** 100 % of a channel. */
export const fullVolume = 65_536;

/** There is no sound server to talk to, as opposed to one that fails. */
export class NoPulseServer extends Error {
  override readonly name = 'NoPulseServer';
}

export type PulseHost = Pick<LinuxHost, 'connectLocal' | 'clock' | 'environment' | 'files' | 'paths'>;

/** Connects, does the work and closes again, all within the time. */
export async function withPulse<T>(host: PulseHost, timeoutMs: number, work: (pulse: Pulse) => Promise<T>): Promise<T> {
  const connection = await openPulse(host, timeoutMs);
  try {
    return await work(commandsOver(connection));
  } finally {
    connection.close();
  }
}

/** A connection on which commands can be given; all of them within the time, unless it gets another limit. */
export async function openPulse(host: PulseHost, timeoutMs: number, events?: PulseEvents): Promise<PulseConnection> {
  const connection = await openFirst(host, timeoutMs, events);
  try {
    await introduce(connection, cookieOf(host));
    return connection;
  } catch (error) {
    connection.close();
    throw error;
  }
}

async function openFirst(
  { connectLocal, clock, environment, paths }: PulseHost,
  timeoutMs: number,
  events?: PulseEvents,
): Promise<PulseConnection> {
  const servers = serverPaths(environment.variable('PULSE_SERVER'), paths.runtime);
  let refusal: PeerRefusal | null = null;
  for (const server of servers) {
    try {
      return await openPulseConnection(connectLocal, clock, { path: server, timeoutMs }, events);
    } catch (error) {
      if (error instanceof PeerRefusal) refusal ??= error;
      else if (!isNobodyThere(error)) throw error;
    }
  }
  if (refusal !== null) throw refusal;
  throw new NoPulseServer('no sound server is listening');
}

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

async function introduce(connection: PulseConnection, cookie: Uint8Array): Promise<void> {
  const [version] = await connection.command(AUTH, encodeU32(protocolVersion), encodeBytes(cookie));
  // The upper half of the number tells about shared memory.
  if (typeof version !== 'number' || (version & 0xffff) < protocolVersion)
    throw new Error('it is older than PulseAudio 1.0');
  await connection.command(SET_CLIENT_NAME, encodeProperties({ 'application.name': 'Hostler' }));
}

/** Asks to be told when sources, streams that record, or clients change. */
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

/** Whether the server is there but does not let us in. */
export const isAccessDenied = (error: unknown) => error instanceof PulseError && error.code === 1;
