import { openRpc, type Rpc, RpcClosed, RpcRefusal, type RpcRequest } from '@hostler/discord-rpc/rpc.ts';
import { createDiscordSession, type DiscordSession } from '@hostler/discord-rpc/session.ts';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import type { Clock } from '../../../lib/clock.ts';
import { ownCommand } from '../../../lib/own-command.ts';
import { type AuthorizeParts, authorize, UserRefusal } from './chat.authorize.ts';
import type { ChatState, Obstacle } from './chat.client.contract.ts';

/** One connection from the search for a socket to its end. */
export interface Life {
  state(): Omit<Extract<ChatState, { kind: 'present' }>, 'kind'>;
  /** Resolves when it is known how things stand; what the user has to decide is not waited for. */
  settled: Promise<void>;
  /** Whether the user is being asked, or settings of the user depend on this connection. */
  holds(): boolean;
  command<T>(request: RpcRequest, take: (data: unknown) => T): Promise<T>;
  end(): void;
}

export interface LifeParts extends Omit<AuthorizeParts, 'rpc' | 'asking'> {
  clock: Clock;
  connect: ConnectLocal;
  /** Of the sockets that are there, best first. */
  paths: string[];
  retryPause: RetryPause;
  /** Takes secrets out of sentences: those of others may quote what they were sent. */
  clean(sentence: string): string;
  changed(): void;
  /** Once, unless it was ended by us. */
  over(end: { obstacle: Obstacle; retryMs: number }): void;
}

/** When the user or the OAuth endpoint may be bothered again. It outlives a connection: a restart of the application is no reason. */
export interface RetryPause {
  until: number;
  obstacle: Obstacle | null;
}

export const noSocketMs = 5000;
const badCredentialsMs = 30_000;
const refusedMs = 300_000;
/** The application ends a handshake with this code when it does not know the client id. */
const invalidClientId = 4000;

export const notRunning: Obstacle = {
  sentence: 'the voice-chat application is not running, or not as this user',
  mendable: false,
};
const waitingForUser: Obstacle = {
  sentence: 'the voice-chat application is asking for permission: accept it there',
  mendable: true,
};

export function beginLife(parts: LifeParts): Life {
  const { clock, retryPause, changed, clean } = parts;
  const controller = new AbortController();
  const { signal } = controller;
  const settled = Promise.withResolvers<void>();
  let rpc: Rpc | null = null;
  let session: DiscordSession | null = null;
  let obstacle: Obstacle | null = null;
  let asking = false;
  let changedVoice = false;
  let endPause = () => {};

  const end = () => {
    controller.abort();
    endPause();
    rpc = null;
    session = null;
    asking = false;
    settled.resolve();
  };
  const over = (why: Obstacle, retryMs: number) => {
    if (signal.aborted) return;
    end();
    parts.over({ obstacle: why, retryMs });
  };
  const problem = (what: string, error: unknown): Obstacle => {
    const words = clean(error instanceof Error ? error.message : String(error));
    return {
      sentence: `the voice-chat application ${what} (${words}); if it stays so, run "${ownCommand('chat setup')}" again`,
      mendable: true,
    };
  };
  /** That an application ends is no fault. */
  const lost = (error: Error) =>
    over(
      { sentence: `the voice-chat application ended the connection (${clean(error.message)})`, mendable: false },
      noSocketMs,
    );
  const stand = (why: Obstacle | null) => {
    obstacle = why;
    settled.resolve();
    changed();
  };

  const connectFirst = async (): Promise<Rpc> => {
    const { connect, paths, credentials } = parts;
    const events = { event: (name: string, data: unknown) => session?.event(name, data), closed: lost };
    let failure: unknown = null;
    for (const path of paths) {
      try {
        return await openRpc(connect, clock, { path, clientId: credentials.clientId, signal }, events);
      } catch (error) {
        signal.throwIfAborted();
        if (!isNobody(error)) failure ??= error;
      }
    }
    throw failure ?? new NobodyThere();
  };

  const pause = async (ms: number) => {
    await new Promise<void>((resolve) => {
      const cancel = clock.after(ms, resolve);
      endPause = () => {
        cancel();
        resolve();
      };
    });
    signal.throwIfAborted();
  };

  /** Asks as often as it takes, but not more often than it may. */
  const admit = async (connected: Rpc) => {
    for (;;) {
      const wait = retryPause.until - clock.monotonic();
      if (wait > 0) {
        stand(retryPause.obstacle);
        await pause(wait);
      }
      try {
        return await authorize({ ...parts, rpc: connected, asking: startAsking });
      } catch (error) {
        signal.throwIfAborted();
        const refused = error instanceof UserRefusal;
        retryPause.until = clock.monotonic() + (refused ? refusedMs : badCredentialsMs);
        retryPause.obstacle = refused ? refusal(clean(error.message)) : problem('is not open to this set-up', error);
      } finally {
        asking = false;
      }
    }
  };
  const startAsking = () => {
    asking = true;
    stand(waitingForUser);
  };

  const run = async () => {
    rpc = await connectFirst();
    changed();
    const user = await admit(rpc);
    session = createDiscordSession({ rpc, user, changed, failed: lost });
    await session.start();
    stand(null);
  };
  run().catch((error) => {
    if (error instanceof NobodyThere) return over(notRunning, noSocketMs);
    const refused = error instanceof RpcRefusal || (error instanceof RpcClosed && error.code === invalidClientId);
    over(problem('cannot be used', error), refused ? badCredentialsMs : noSocketMs);
  });

  return {
    state: () => ({ connected: rpc !== null, facts: session?.facts() ?? null, obstacle }),
    settled: settled.promise,
    holds: () => asking || changedVoice,
    command(request, take) {
      if (rpc === null) return Promise.reject(new Error('the connection has ended'));
      // The application takes back what a program has set when that program leaves.
      if (request.cmd.startsWith('SET_')) changedVoice = true;
      return rpc.request(request, (data) => {
        // The event that says the same may come later than somebody who looks.
        if (request.cmd === 'SET_VOICE_SETTINGS') session?.event('VOICE_SETTINGS_UPDATE', data);
        return take(data);
      });
    },
    end,
  };
}

class NobodyThere extends Error {
  override readonly name = 'NobodyThere';
}

/** A socket that was left behind refuses; one that is gone does not exist. */
function isNobody(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ECONNREFUSED');
}

function refusal(words: string): Obstacle {
  return {
    sentence: `${words}. It will be requested again after 5 minutes, or at once by "${ownCommand('chat setup')}"`,
    mendable: true,
  };
}
