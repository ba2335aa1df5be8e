import type { OpenConnection } from '../../host/socket-inspector.ts';
import { budgets, networkOf } from './budgets.ts';

export interface TrackedSocket {
  authenticated: boolean;
  /** Bytes of whole messages. The runtime buffers the rest of what was received. */
  taken: number;
  drop(): void;
}

/** Whatever fewer connections hold is within the budgets. */
export const manySockets = 64;

export interface ConnectionLimit {
  most: number;
  perNetwork: number;
}

/** The rest of the descriptors is for files, processes and buses. WebSockets with a token have a limit per token as well. */
export function limitsFor(descriptorLimit: number): {
  unauthenticated: ConnectionLimit;
  authenticated: ConnectionLimit;
} {
  const { most, shareOfDescriptors, perAddressShare } = budgets.all.connections;
  const share = Math.max(16, Math.floor(descriptorLimit * shareOfDescriptors));
  const unauthenticated = Math.min(most, share);
  return {
    unauthenticated: { most: unauthenticated, perNetwork: unauthenticated * perAddressShare },
    authenticated: { most: share, perNetwork: share },
  };
}

/** Whose share a connection takes. */
export interface Owner {
  share: string;
  /** Our own user on this machine, or an address that showed a valid token lately. */
  isKnown: boolean;
}

/** Connections of a known owner that unknown ones cannot displace, however many networks those have. */
const keptOfKnown = 16;

/**
 * Connections to close. Of every network the most useful connection is kept, then the second most useful of every network, and so on: networks with few
 * connections keep theirs, however many the others have.
 */
export function connectionsOverLimit(
  connections: readonly OpenConnection[],
  { most, perNetwork }: ConnectionLimit,
  ownerOf: (connection: OpenConnection) => Owner = ({ address }) => ({ share: networkOf(address), isKnown: false }),
): OpenConnection[] {
  const owned = connections.map((connection) => ({ connection, ...ownerOf(connection) }));
  const networks = [...Map.groupBy(owned, ({ share }) => share).values()];
  const ranked = networks.flatMap((ofNetwork) => {
    const kept = ofNetwork.length > perNetwork ? perNetwork * keptShare : perNetwork;
    return ofNetwork
      .sort((a, b) => byUse(a.connection, b.connection))
      .map(({ connection, isKnown }, rank) => ({
        connection,
        // Before all others.
        rank: isKnown && rank < keptOfKnown ? -1 : rank,
        isExcess: rank >= kept,
      }));
  });
  ranked.sort(
    (a, b) => Number(a.isExcess) - Number(b.isExcess) || a.rank - b.rank || byUse(a.connection, b.connection),
  );
  const kept = connections.length > most ? Math.floor(most * keptShare) : most;
  return ranked.filter(({ isExcess }, at) => isExcess || at >= kept).map(({ connection }) => connection);
}

/** Above a limit, connections are closed down to this share of it. */
const keptShare = 0.75;

/** Connections that got a response first, then the most recently active. */
const byUse = (a: OpenConnection, b: OpenConnection) => Number(b.answered) - Number(a.answered) || a.idleMs - b.idleMs;

/** Connections whose responses have not been read for a while. */
export function connectionsUnread(connections: readonly OpenConnection[]): OpenConnection[] {
  return connections.filter(({ unreadMs }) => unreadMs >= budgets.all.unreadMs);
}

/** WebSockets whose unfinished frames exceed the budget together; the longest are closed first. */
export function unfinishedOverLimit(
  tracked: readonly { connection: OpenConnection; socket: TrackedSocket | null }[],
): TrackedSocket[] {
  const held = tracked
    .flatMap(({ connection, socket }) =>
      socket === null ? [] : [{ socket, bytes: Math.max(0, connection.received - socket.taken) }],
    )
    .sort((a, b) => b.bytes - a.bytes);
  let sum = held.reduce((all, { bytes }) => all + bytes, 0);
  const closing: TrackedSocket[] = [];
  for (const { socket, bytes } of held) {
    if (sum <= budgets.all.unfinishedBytes) break;
    closing.push(socket);
    sum -= bytes;
  }
  return closing;
}
