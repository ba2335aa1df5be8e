import type { RpcRequest } from '@hostler/discord-rpc/rpc.ts';
import type { ChatFacts } from '@hostler/discord-rpc/voice-state.ts';

/** The voice-chat application of the user, over its local socket: one connection for all who ask and listen. */
export interface ChatClient {
  /** What is known now. Asking connects and, unless asked again, lets go after a while. Waits a little for a connection under way. */
  state(): ChatState | Promise<ChatState>;
  /** Calls back on every change, ten times a second at most; returns the way to stop. */
  follow(changed: () => void): () => void;
  /** Has the application do something. Rejects with its sentence, or with why it cannot be asked. */
  command<T>(request: RpcRequest, take: (data: unknown) => T): Promise<T>;
  close(): void;
}

export type ChatState =
  /** Not set up, or not so that it could be used. */
  | { kind: 'absent'; sentence: string }
  | { kind: 'present'; connected: boolean; facts: ChatFacts | null; obstacle: Obstacle | null };

/** What stands between us and the data. */
export interface Obstacle {
  sentence: string;
  /** Somebody has to do something about it; an application that does not run is no fault. */
  mendable: boolean;
}

export interface ChatOptions {
  /** From the settings; empty: that of the application's makers. */
  oauthUrl(): string;
  log: { info(message: string): void; warn(message: string): void };
  /** This process only has a look and ends: the user is asked nothing, and no token is renewed. */
  passing?: boolean;
}

/** Gives the same client to all; what the first one says about the service holds for all. */
export type OpenChat = (options: ChatOptions) => Promise<ChatClient>;
