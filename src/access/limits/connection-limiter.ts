import { isLoopback } from '../../core/caller.ts';
import type { OpenConnection, OwnSockets, SocketInspector } from '../../host/socket-inspector.ts';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';
import { budgets, networkOf } from './budgets.ts';
import {
  connectionsOverLimit,
  connectionsUnread,
  limitsFor,
  manySockets,
  type Owner,
  type TrackedSocket,
  unfinishedOverLimit,
} from './connection-limits.ts';

export interface ConnectionLimiterParts {
  open: OwnSockets['inspect'];
  ports(): readonly number[];
  clock: Clock;
  log: Log;
  /** null: not a WebSocket connection. */
  socketAt(connection: Pick<OpenConnection, 'address' | 'port' | 'localPort'>): TrackedSocket | null;
  /** Whether a valid token was used from this address lately. */
  isKnownAddress(address: string): boolean;
}

export type ConnectionLimiter = ReturnType<typeof createConnectionLimiter>;

/**
 * Bounds the number of connections, and the memory they hold in the runtime. The runtime has no hook for accepted connections, so the limiter counts the
 * descriptors of the process when a connection arrived, and lists the connections only while there are many. A request costs nothing, and no timer runs
 * while there are few connections.
 */
export function createConnectionLimiter({ open, ports, clock, log, socketAt, isKnownAddress }: ConnectionLimiterParts) {
  let stopped = false;
  let cancel = () => {};
  let warnedAt = Number.NEGATIVE_INFINITY;
  let opening: Promise<SocketInspector> | null = null;
  /** At the last inspection; `others` are descriptors of anything but connections. */
  let last = { at: Number.NEGATIVE_INFINITY, count: 0, others: 0, memory: 0 };

  const check = (inspector: SocketInspector) => {
    let isBusy = true;
    try {
      if (isMany(inspector)) inspectIfChanged(inspector);
      isBusy = isMany(inspector);
    } catch (error) {
      log.debug(`access: cannot inspect connections: ${messageOf(error)}`);
    }
    const checkSoon = () => {
      cancel = clock.after(checkEveryMs, () => check(inspector));
    };
    if (isBusy) checkSoon();
    else cancel = inspector.onNextConnection(ports(), checkSoon);
  };

  const countOf = ({ descriptors }: SocketInspector) => descriptors() - last.others;
  const isMany = (inspector: SocketInspector) => countOf(inspector) >= Math.min(manySockets, inspector.limit / 4);

  const inspectIfChanged = (inspector: SocketInspector) => {
    const count = countOf(inspector);
    const now = clock.monotonic();
    const memory = inspector.memory();
    const limits = limitsFor(inspector.limit);
    const mayExceed = count >= limits.unauthenticated.perNetwork && count - last.count >= inspection.connections;
    const isDue = now - last.at >= inspection.everyMs || memory - last.memory >= inspection.bytes;
    if (!mayExceed && !isDue) return;
    const descriptors = inspector.descriptors();
    const { found, closed } = inspect(inspector, limits, memory);
    last = { at: now, count: found - closed, others: descriptors - found, memory };
  };

  /** Each user of this machine has all addresses of 127.0.0.0/8, so there users count. */
  const owners = (localPeers: SocketInspector['localPeers']) => {
    const peersOf = new Map<number, ReturnType<SocketInspector['localPeers']>>();
    return ({ address, port, localPort }: OpenConnection): Owner => {
      if (!isLoopback(address)) return { share: networkOf(address), isKnown: isKnownAddress(address) };
      const peers = peersOf.get(localPort) ?? localPeers(localPort);
      peersOf.set(localPort, peers);
      const peer = peers.get(`${address} ${port}`);
      return { share: peer === undefined ? networkOf(address) : `user ${peer.user}`, isKnown: peer?.isOurs === true };
    };
  };

  /** How many connections there were, and how many of them it closed. */
  const inspect = (
    { connections, localPeers, shut }: SocketInspector,
    limits: ReturnType<typeof limitsFor>,
    memory: number,
  ): { found: number; closed: number } => {
    const tracked = ports()
      .flatMap(connections)
      .map((connection) => ({ connection, socket: socketAt(connection) }));
    const ofKind = (authenticated: boolean) =>
      tracked
        .filter(({ socket }) => (socket?.authenticated ?? false) === authenticated)
        .map(({ connection }) => connection);
    const unauthenticated = ofKind(false);
    const excess = [
      // With fewer, none exceeds a limit, and their owners need not be looked up.
      ...(unauthenticated.length > limits.unauthenticated.perNetwork
        ? connectionsOverLimit(unauthenticated, limits.unauthenticated, owners(localPeers))
        : []),
      ...connectionsOverLimit(ofKind(true), limits.authenticated),
    ];
    const isMemoryShort = memory > budgets.all.memoryBytes;
    const unread = isMemoryShort ? connectionsUnread(unauthenticated) : [];
    const unfinished = isMemoryShort ? unfinishedOverLimit(tracked) : [];
    const closing = new Set([...unread, ...excess]);
    for (const connection of closing) shut(connection);
    for (const { drop } of unfinished) drop();
    if (excess.length > 0)
      warn(`${tracked.length} connections exceed the limits of this service; ${excess.length} were closed`);
    if (unread.length > 0)
      warn(`${unread.length} connections that do not read their responses were closed to free memory`);
    if (unfinished.length > 0)
      warn(`${unfinished.length} connections with unfinished messages were closed to free memory`);
    return { found: tracked.length, closed: closing.size + unfinished.length };
  };

  /** Once a minute, so that an attack does not fill the log. */
  const warn = (sentence: string) => {
    if (clock.monotonic() - warnedAt < warnEveryMs) return;
    warnedAt = clock.monotonic();
    log.warn(`access: ${sentence}`);
  };

  const begin = (inspector: SocketInspector) => {
    if (stopped) return;
    cancel();
    for (const port of ports()) inspector.raiseBacklog(port);
    check(inspector);
  };

  const opened = () => {
    opening ??= open();
    opening.then(begin).catch((error: unknown) => {
      // Opening it takes descriptors: there may be some later.
      warn(`cannot limit connections yet: ${messageOf(error)}`);
      opening = null;
      if (!stopped) cancel = clock.after(reopenMs, opened);
    });
  };

  return {
    /** Starts it, and includes ports that were opened later. */
    opened,
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** At 10 Mbit/s some 4,000 connections arrive in a second, 200 between two checks. */
const checkEveryMs = 50;
/** Listing a thousand connections takes about 2 ms: do it when something changed, and otherwise rarely. */
const inspection = { everyMs: 1000, connections: 32, bytes: 8 * 1024 * 1024 };
const warnEveryMs = 60_000;
const reopenMs = 1000;
