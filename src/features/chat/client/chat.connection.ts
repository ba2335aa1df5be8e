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

export function startConnection(parts: AppConnectionParts) {
  const controller = new AbortController();
  const settled = Promise.withResolvers<void>();
  let rpc: Rpc | null = null;
  let session: DiscordSession | null = null;
  let obstacle: Obstacle | null = null;
  let isAsking = false;
  let changedVoice = false;
  let endPause = () => {};

  async function run(): Promise<void> {
    const { changed } = parts;
    const opened = await connectFirst();
    rpc = opened;
    changed();
    const user = await authorizeWithRetries(opened);
    const begun = createDiscordSession({ rpc: opened, user, changed, failed: lost });
    session = begun;
    await begun.start();
    settle(null);
  }

  async function connectFirst(): Promise<Rpc> {
    const { connect, clock, paths, credentials } = parts;
    const { signal } = controller;
    const events = {
      event: (name: string, data: unknown) => session?.event(name, data),
      closed: lost,
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
  async function authorizeWithRetries(opened: Rpc): Promise<ChatUser> {
    const { clock, retryPause, redact } = parts;
    for (;;) {
      const wait = retryPause.until - clock.monotonic();
      if (wait > 0) {
        settle(retryPause.obstacle);
        await pause(wait);
      }
      try {
        return await authorize({ ...parts, rpc: opened, asking: startAsking });
      } catch (error) {
        controller.signal.throwIfAborted();
        const refused = error instanceof UserRefusal;
        retryPause.until = clock.monotonic() + (refused ? refusedMs : badCredentialsMs);
        retryPause.obstacle = refused
          ? refusal(redact(error.message))
          : problem(parts, 'is not open to this set-up', error);
      } finally {
        isAsking = false;
      }
    }
  }

  function startAsking(): void {
    isAsking = true;
    settle(waitingForUser);
  }

  async function pause(ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const cancel = parts.clock.after(ms, resolve);
      endPause = () => {
        cancel();
        resolve();
      };
    });
    controller.signal.throwIfAborted();
  }

  function settle(why: Obstacle | null): void {
    obstacle = why;
    settled.resolve();
    parts.changed();
  }

  function end(): void {
    controller.abort();
    endPause();
    rpc = null;
    session = null;
    isAsking = false;
    settled.resolve();
  }

  function fail(why: Obstacle, retryMs: number): void {
    if (controller.signal.aborted) return;
    end();
    parts.over({ obstacle: why, retryMs });
  }

  /** An application that quits is not a fault. */
  function lost(error: Error): void {
    const sentence = `the voice-chat application ended the connection (${parts.redact(error.message)})`;
    fail({ sentence, mendable: false }, noSocketMs);
  }

  function command<T>(request: RpcRequest, take: (data: unknown) => T): Promise<T> {
    if (rpc === null) return Promise.reject(new Error('the connection has ended'));
    // The application reverts a program's settings when that program disconnects.
    if (request.cmd.startsWith('SET_')) changedVoice = true;
    return rpc.request(request, (data) => {
      // The event with the same content may arrive after the next read.
      if (request.cmd === 'SET_VOICE_SETTINGS') session?.event('VOICE_SETTINGS_UPDATE', data);
      return take(data);
    });
  }

  run().catch((error) => {
    if (error instanceof NotListening) return fail(notRunning, noSocketMs);
    const refused = error instanceof RpcRefusal || (error instanceof RpcClosed && error.code === invalidClientId);
    fail(problem(parts, 'cannot be used', error), refused ? badCredentialsMs : noSocketMs);
  });
  return {
    state: () => ({
      connected: rpc !== null,
      facts: session?.facts() ?? null,
      obstacle,
    }),
    /** Resolves when the outcome is known; it does not wait for the user's answer to a permission prompt. */
    settled: settled.promise,
    /** Whether a permission prompt is open, or voice settings depend on this connection. */
    mustStay: () => isAsking || changedVoice,
    command,
    end,
  };
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
