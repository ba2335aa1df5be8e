import { PeerRefusal } from '@hostler/io/local-socket.ts';
import { audioOver, introduce, type PulseAudio } from '@hostler/pulseaudio/audio.ts';
import {
  openPulseConnection,
  type PulseConnection,
  PulseError,
  type PulseEvents,
} from '@hostler/pulseaudio/connection.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import type { LinuxHost } from '../linux-host.ts';
import { cookieOf, isNotListening, serverPaths } from './pulse.server.ts';

/** No sound server is running, as opposed to one that fails. */
export class NoPulseServer extends Error {
  override readonly name = 'NoPulseServer';
}

export type PulseHost = Pick<LinuxHost, 'connectLocal' | 'clock' | 'environment' | 'files' | 'paths'>;

/** Connects, does the work and closes again, all within the time. */
export async function withPulse<T>(
  host: PulseHost,
  timeoutMs: number,
  work: (pulse: PulseAudio) => Promise<T>,
): Promise<T> {
  const connection = await openPulse(host, timeoutMs);
  try {
    return await work(audioOver(connection));
  } finally {
    connection.close();
  }
}

/** A connection for commands, with one time limit for all of them, unless it is replaced. */
export async function openPulse(host: PulseHost, timeoutMs: number, events?: PulseEvents): Promise<PulseConnection> {
  const connection = await openFirst(host, timeoutMs, events);
  return await closedOnFailure(connection, async () => {
    await introduce(connection, cookieOf(host), 'Hostler');
    return connection;
  });
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
      else if (!isNotListening(error)) throw error;
    }
  }
  if (refusal !== null) throw refusal;
  throw new NoPulseServer('no sound server is listening');
}

/** Whether the server is running but denies access. */
export const isAccessDenied = (error: unknown) => error instanceof PulseError && error.code === 1;
