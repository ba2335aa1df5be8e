import type { Subscriber, Subscription } from '@hostler/mcp/subscription.ts';
import { budgets } from '../../access/limits/budgets.ts';
import type { Caller } from '../../core/caller.ts';
import type { ConnectedClient } from '../../core/clients.ts';
import { hasScope } from '../../core/require-scope.ts';
import type { Watches } from './endpoint.watches.ts';

/** The update streams of the newer protocol. */
export interface AgentListening {
  /** Whether this caller may open another stream. */
  hasRoom(caller: Caller): boolean;
  /** Returns the function that is called when the stream has ended. */
  add(caller: Caller, wanted: Subscription, subscriber: Subscriber): () => void;
  admit(admits: (caller: Caller) => boolean): void;
  toolsChanged(): void;
  count(): number;
  clients(): ConnectedClient[];
  close(): void;
}

const maxStreams = budgets.all.streams;
const maxStreamsEach = budgets.caller.streams;
const maxUris = 64;

interface Stream extends Subscriber {
  caller: Caller;
  wanted: Subscription;
  begunAt: number;
}

export interface ListeningParts {
  watches: Watches;
  now(): number;
  after(ms: number, callback: () => void): () => void;
  changed(): void;
}

/** A stream ends with the access token that opened it. Returns the function that prevents it. */
export function atExpiry(
  { expiresAt }: Caller,
  { now, after }: Pick<ListeningParts, 'now' | 'after'>,
  end: () => void,
) {
  return expiresAt === undefined ? () => {} : after(Math.max(0, expiresAt - now()), end);
}

export function createListening(parts: ListeningParts): AgentListening {
  const { watches, now, changed } = parts;
  const streams = new Set<Stream>();
  return {
    hasRoom: ({ tokenId }) =>
      streams.size < maxStreams &&
      [...streams].filter(({ caller }) => caller.tokenId === tokenId).length < maxStreamsEach,
    add(caller, wanted, { notify, close }) {
      const stream = { caller, wanted, begunAt: now(), notify, close };
      streams.add(stream);
      changed();
      const uris = hasScope(caller, 'read') ? (wanted.resourceSubscriptions ?? []) : [];
      const stops = [...new Set(uris)]
        .slice(0, maxUris)
        .map((uri) => watches.watch(uri, () => notify('notifications/resources/updated', { uri })));
      stops.push(atExpiry(caller, parts, close));
      return () => {
        for (const stop of stops) stop();
        if (streams.delete(stream)) changed();
      };
    },
    admit(admits) {
      for (const { caller, close } of [...streams]) if (!admits(caller)) close();
    },
    toolsChanged() {
      for (const { wanted, notify } of streams)
        if (wanted.toolsListChanged === true) notify('notifications/tools/list_changed');
    },
    count: () => streams.size,
    clients: () =>
      [...streams].map(({ caller, begunAt }) => ({ caller, software: null, through: 'mcp', since: begunAt })),
    close() {
      for (const { close } of [...streams]) close();
    },
  };
}
