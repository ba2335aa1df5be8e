import type { RpcRequest } from '@hostler/discord-rpc/rpc.ts';
import type { ChatFacts } from '@hostler/discord-rpc/voice-state.ts';

/** The user's voice-chat application over its local socket; all callers share one connection. */
export interface ChatClient {
  /** The current state. Connects, disconnects a minute after the last call, and waits shortly for a connection in progress. */
  state(): ChatState | Promise<ChatState>;
  /** Calls back on every change, at most ten times a second; returns the function that unsubscribes. */
  follow(changed: () => void): () => void;
  /** Sends a command to the application. Rejects with its message, or with the reason it cannot be reached. */
  command<T>(request: RpcRequest, take: (data: unknown) => T): Promise<T>;
  close(): void;
}

export type ChatState =
  /** Not set up, or not correctly. */
  | { kind: 'absent'; sentence: string }
  | { kind: 'present'; connected: boolean; facts: ChatFacts | null; obstacle: Obstacle | null };

export interface Obstacle {
  sentence: string;
  /** Whether the user can fix it; false for an application that is not running. */
  mendable: boolean;
}

export interface ChatOptions {
  /** From the settings; empty: the vendor's URL. */
  oauthUrl(): string;
  log: { info(message: string): void; warn(message: string): void };
  /** A one-shot command: no permission prompt is shown, and no token is refreshed. */
  passing?: boolean;
}
