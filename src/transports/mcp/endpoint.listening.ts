import type { Subscriber, Subscription } from '@hostler/mcp/subscription.ts';
import { budgets } from '../../access/limits/budgets.ts';
import type { Caller } from '../../core/caller.ts';
import type { ConnectedClient } from '../../core/clients.ts';
import { hasScope } from '../../core/require-scope.ts';
import type { Clock } from '../../lib/clock.ts';
import { stopAll } from '../../lib/closing.ts';
import type { Watches } from './endpoint.watches.ts';

const maxStreams = budgets.all.streams;
const maxStreamsEach = budgets.caller.streams;
const maxUris = 64;

/** What a client keeps open: a session of the older protocol; an update stream or a request of the newer one. */
export interface OpenClient {
  caller: Caller;
  close(): void;
  /** Omitted: it did not ask for it. */
  toolsChanged?(): void;
  /** Omitted: it is not listed among the clients. */
  shown?(): Pick<ConnectedClient, 'software' | 'since'>;
}

export interface ListeningParts {
  clock: Clock;
  watches: Watches;
  opened(client: OpenClient): () => void;
}

/** A stream ends with the access token that opened it. Returns the function that prevents it. */
export function atExpiry({ expiresAt }: Caller, { now, after }: Pick<Clock, 'now' | 'after'>, end: () => void) {
  return expiresAt === undefined ? () => {} : after(Math.max(0, expiresAt - now()), end);
}

/** The update streams of the newer protocol. */
export function createListening({ clock, watches, opened }: ListeningParts) {
  const streams = new Set<OpenClient>();
  return {
    /** Whether this caller may open another stream. */
    hasRoom: ({ tokenId }: Caller) =>
      streams.size < maxStreams &&
      [...streams].filter(({ caller }) => caller.tokenId === tokenId).length < maxStreamsEach,
    /** Returns the function that is called when the stream has ended. */
    add(caller: Caller, wanted: Subscription, { notify, close }: Subscriber): () => void {
      const begunAt = clock.now();
      const stream: OpenClient = {
        caller,
        close,
        ...(wanted.toolsListChanged && { toolsChanged: () => notify('notifications/tools/list_changed') }),
        shown: () => ({ software: null, since: begunAt }),
      };
      streams.add(stream);
      const uris = hasScope(caller, 'read') ? (wanted.resourceSubscriptions ?? []) : [];
      const stops = [...new Set(uris)]
        .slice(0, maxUris)
        .map((uri) => watches.watch(uri, () => notify('notifications/resources/updated', { uri })));
      stops.push(atExpiry(caller, clock, close), () => void streams.delete(stream), opened(stream));
      return stopAll(stops);
    },
  };
}
