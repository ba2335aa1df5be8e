import type { ServerEvent, ServerEventBus } from '@modelcontextprotocol/server';
import { budgets } from '../../access/limits/budgets.ts';
import type { Caller } from '../../core/caller.ts';
import type { ConnectedClient } from '../../core/clients.ts';
import { hasScope } from '../../core/require-scope.ts';
import type { Watches } from './endpoint.watches.ts';

/** The update streams of the newer protocol. */
export interface AgentListening {
  /** Whether this caller may open another stream. */
  hasRoom(caller: Caller): boolean;
  /** The source of one stream, while it is open. */
  busFor(caller: Caller, uris: readonly string[], end: () => void): ServerEventBus;
  admit(admits: (caller: Caller) => boolean): void;
  toolsChanged(): void;
  count(): number;
  clients(): ConnectedClient[];
  close(): void;
}

const maxStreams = budgets.all.streams;
const maxStreamsEach = budgets.caller.streams;
const maxUris = 64;

interface Stream {
  caller: Caller;
  /** Unix milliseconds. */
  begunAt: number;
  send(event: ServerEvent): void;
  end(): void;
}

export function createListening(watches: Watches, now: () => number, changed: () => void): AgentListening {
  const streams = new Set<Stream>();
  return {
    hasRoom: ({ tokenId }) =>
      streams.size < maxStreams &&
      [...streams].filter(({ caller }) => caller.tokenId === tokenId).length < maxStreamsEach,
    busFor: (caller, uris, end) => ({
      publish: () => {},
      subscribe(send) {
        const stream = { caller, begunAt: now(), send, end };
        streams.add(stream);
        changed();
        const mayRead = hasScope(caller, 'read');
        const stops = [...new Set(mayRead ? uris : [])]
          .slice(0, maxUris)
          .map((uri) => watches.watch(uri, () => send({ kind: 'resource_updated', uri })));
        return () => {
          for (const stop of stops) stop();
          if (streams.delete(stream)) changed();
        };
      },
    }),
    admit(admits) {
      for (const { caller, end } of [...streams]) if (!admits(caller)) end();
    },
    toolsChanged() {
      for (const { send } of streams) send({ kind: 'tools_list_changed' });
    },
    count: () => streams.size,
    clients: () =>
      [...streams].map(({ caller, begunAt }) => ({ caller, software: null, through: 'mcp', since: begunAt })),
    close() {
      for (const { end } of [...streams]) end();
    },
  };
}
