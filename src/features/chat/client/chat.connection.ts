import { openRpc, type Rpc, RpcClosed, RpcRefusal, type RpcRequest } from '@hostler/discord-rpc/rpc.ts';
import { createDiscordSession, type DiscordSession } from '@hostler/discord-rpc/session.ts';
import type { ChatUser } from '@hostler/discord-rpc/voice-state.ts';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import type { Clock } from '../../../lib/clock.ts';
import { messageOf } from '../../../lib/errors.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { type AuthorizeParts, authorize, UserRefusal } from './chat.authorize.ts';
import type { Obstacle } from './chat.client.contract.ts';

/** One connection, from the search for a socket to its end. */
export type AppConnection = ReturnType<typeof startConnection>;

export interface AppConnectionParts extends Omit<AuthorizeParts, 'rpc' | 'asking'> {
  clock: Clock;
  connect: ConnectLocal;
  /** Of the existing sockets, best first. */
  paths: string[];
  retryPause: RetryPause;
  /** Removes secrets from messages of the application, which may quote what it received. */
  redact(sentence: string): string;
  changed(): void;
  /** Called once, unless `end` was called. */
  over(end: { obstacle: Obstacle; retryMs: number }): void;
}

/** When the user or the OAuth endpoint may be asked again. Outlives a connection: a restart of the application does not reset it. */
export interface RetryPause {
  until: number;
  obstacle: Obstacle | null;
}

export const noSocketMs = 5000;
const badCredentialsMs = 30_000;
const refusedMs = 300_000;
/** The application closes a handshake with this code when it does not know the client id. */
const invalidClientId = 4000;

export const notRunning: Obstacle = {
  sentence: 'the voice-chat application is not running, or not as this user',
  mendable: false,
};
const waitingForUser: Obstacle = {
  sentence: 'the voice-chat application is asking for permission: accept it there',
  mendable: true,
};

interface State {
  parts: AppConnectionParts;
  controller: AbortController;
  settled: PromiseWithResolvers<void>;
  rpc: Rpc | null;
  session: DiscordSession | null;
  obstacle: Obstacle | null;
  isAsking: boolean;
  changedVoice: boolean;
  endPause(): void;
}

export function startConnection(parts: AppConnectionParts) {
  const state: State = {
    parts,
    controller: new AbortController(),
    settled: Promise.withResolvers<void>(),
    rpc: null,
    session: null,
    obstacle: null,
    isAsking: false,
    changedVoice: false,
    endPause: () => {},
  };
  run(state).catch((error) => {
    if (error instanceof NotListening) return fail(state, notRunning, noSocketMs);
    const refused = error instanceof RpcRefusal || (error instanceof RpcClosed && error.code === invalidClientId);
    fail(state, problem(parts, 'cannot be used', error), refused ? badCredentialsMs : noSocketMs);
  });
  return {
    state: () => ({
      connected: state.rpc !== null,
      facts: state.session?.facts() ?? null,
      obstacle: state.obstacle,
    }),
    /** Resolves when the outcome is known; it does not wait for the user's answer to a permission prompt. */
    settled: state.settled.promise,
    /** Whether a permission prompt is open, or voice settings depend on this connection. */
    mustStay: () => state.isAsking || state.changedVoice,
    command: <T>(request: RpcRequest, take: (data: unknown) => T) => command(state, request, take),
    end: () => end(state),
  };
}

async function run(state: State): Promise<void> {
  const { changed } = state.parts;
  const rpc = await connectFirst(state);
  state.rpc = rpc;
  changed();
  const user = await authorizeWithRetries(state, rpc);
  state.session = createDiscordSession({ rpc, user, changed, failed: (error) => lost(state, error) });
  await state.session.start();
  settle(state, null);
}

async function connectFirst(state: State): Promise<Rpc> {
  const { connect, clock, paths, credentials } = state.parts;
  const { signal } = state.controller;
  const events = {
    event: (name: string, data: unknown) => state.session?.event(name, data),
    closed: (error: Error) => lost(state, error),
  };
  let failure: unknown = null;
  for (const path of paths) {
    try {
      return await openRpc(connect, clock, { path, clientId: credentials.clientId, signal }, events);
    } catch (error) {
      signal.throwIfAborted();
      if (!isNotListening(error)) failure ??= error;
    }
  }
  throw failure ?? new NotListening();
}

/** Retries until authorized, not before the retry pause is over. */
async function authorizeWithRetries(state: State, rpc: Rpc): Promise<ChatUser> {
  const { parts } = state;
  const { clock, retryPause, redact } = parts;
  for (;;) {
    const wait = retryPause.until - clock.monotonic();
    if (wait > 0) {
      settle(state, retryPause.obstacle);
      await pause(state, wait);
    }
    try {
      return await authorize({ ...parts, rpc, asking: () => startAsking(state) });
    } catch (error) {
      state.controller.signal.throwIfAborted();
      const refused = error instanceof UserRefusal;
      retryPause.until = clock.monotonic() + (refused ? refusedMs : badCredentialsMs);
      retryPause.obstacle = refused
        ? refusal(redact(error.message))
        : problem(parts, 'is not open to this set-up', error);
    } finally {
      state.isAsking = false;
    }
  }
}

function startAsking(state: State): void {
  state.isAsking = true;
  settle(state, waitingForUser);
}

async function pause(state: State, ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    const cancel = state.parts.clock.after(ms, resolve);
    state.endPause = () => {
      cancel();
      resolve();
    };
  });
  state.controller.signal.throwIfAborted();
}

function settle(state: State, obstacle: Obstacle | null): void {
  state.obstacle = obstacle;
  state.settled.resolve();
  state.parts.changed();
}

function end(state: State): void {
  state.controller.abort();
  state.endPause();
  state.rpc = null;
  state.session = null;
  state.isAsking = false;
  state.settled.resolve();
}

function fail(state: State, obstacle: Obstacle, retryMs: number): void {
  if (state.controller.signal.aborted) return;
  end(state);
  state.parts.over({ obstacle, retryMs });
}

/** An application that quits is not a fault. */
function lost(state: State, error: Error): void {
  const sentence = `the voice-chat application ended the connection (${state.parts.redact(error.message)})`;
  fail(state, { sentence, mendable: false }, noSocketMs);
}

function command<T>(state: State, request: RpcRequest, take: (data: unknown) => T): Promise<T> {
  if (state.rpc === null) return Promise.reject(new Error('the connection has ended'));
  // The application reverts a program's settings when that program disconnects.
  if (request.cmd.startsWith('SET_')) state.changedVoice = true;
  return state.rpc.request(request, (data) => {
    // The event with the same content may arrive after the next read.
    if (request.cmd === 'SET_VOICE_SETTINGS') state.session?.event('VOICE_SETTINGS_UPDATE', data);
    return take(data);
  });
}

class NotListening extends Error {
  override readonly name = 'NotListening';
}

/** A stale socket refuses connections; a removed one does not exist. */
function isNotListening(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED');
}

function problem({ redact }: AppConnectionParts, what: string, error: unknown): Obstacle {
  const words = redact(messageOf(error));
  return {
    sentence: `the voice-chat application ${what} (${words}); if this persists, run "${ownCommand('chat setup')}" again`,
    mendable: true,
  };
}

function refusal(words: string): Obstacle {
  return {
    sentence: `${words}. It will be requested again after 5 minutes, or at once by "${ownCommand('chat setup')}"`,
    mendable: true,
  };
}
