import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { type BusCall, BusError, type OfferingBus } from './dbus.ts';
import type { Offers } from './exported-objects.ts';
import { closed } from './link.errors.ts';
import { answerWithinMs, type BusEndpoint, type BusLink, type BusLinkEvents, openBusLink } from './link.ts';
import { checkCall, checkMatch } from './names.ts';
import { attempt, createSubscriptions } from './subscriptions.ts';
import { wrap } from './wrap.ts';

export interface BusOptions {
  /** Called with errors that subscribers throw. */
  report?: (error: unknown) => void;
  /** Idle time after which the connection is closed, without calls and subscriptions: an open socket wakes the process every second. */
  idleMs?: number;
  /** Exported objects; left out: none. */
  offers?: Offers;
}

function warn(error: unknown): void {
  process.emitWarning(`A subscriber of D-Bus signals failed: ${error instanceof Error ? error.stack : error}`);
}

/** Calls within this time after a failure share it, so that a burst of calls is not a burst of connections. */
const restMs = 200;
const firstRetryMs = 250;
const lastRetryMs = 30_000;

/** A bus at the first of these addresses that answers; it connects on first use. */
export function createBus(
  findPlaces: () => BusEndpoint[],
  connectSocket: ConnectLocal,
  { report = warn, idleMs = 20_000, offers }: BusOptions = {},
): OfferingBus {
  let link: BusLink | null = null;
  let connecting: Promise<BusLink> | null = null;
  let failure: { error: unknown; at: number } | null = null;
  let retry: NodeJS.Timeout | null = null;
  let retries = 0;
  let leaving: NodeJS.Timeout | null = null;
  let lastUse = 0;
  let wasLost = false;
  const closing = new AbortController();
  const subscriptions = createSubscriptions(() => link, report);
  const onReconnected = new Set<{ found(): void; lost(): void }>();
  const events = {
    onSignal: subscriptions.dispatch,
    ...(offers && { onCall: offers.answer }),
    onEnded: lose,
    closing: closing.signal,
  };

  return {
    async call(call) {
      checkCall(call);
      const {
        destination,
        path,
        interface: iface,
        member,
        signature = '',
        body = [],
        timeoutMs = answerWithinMs,
      } = call;
      const wrapped = wrap(signature, body);
      const message = { destination, path, interface: iface, member };
      const started = performance.now();
      lastUse = started;
      const ready = link ?? (await within(timeoutMs, connect(), call));
      const left = Math.max(1, timeoutMs - (performance.now() - started));
      return ready.request(signature === '' ? message : { ...message, signature, body: wrapped }, left);
    },
    async subscribe(match, onSignal) {
      checkMatch(match);
      try {
        const release = await subscriptions.add(link ?? (await connect()), { ...match }, onSignal);
        return () => {
          release();
          if (subscriptions.size === 0) stopRetrying();
          noteUse();
        };
      } catch (error) {
        noteUse();
        throw error;
      }
    },
    onReconnected(callback, lost = () => {}) {
      const entry = { found: () => callback(), lost: () => lost() };
      onReconnected.add(entry);
      return () => onReconnected.delete(entry);
    },
    name: () => link?.name ?? null,
    emit({ path, interface: iface, member, signature = '', body = [] }) {
      const message = { path, interface: iface, member };
      // Without a connection there are no receivers.
      if (link) link.emit(signature === '' ? message : { ...message, signature, body: wrap(signature, body) });
    },
    close() {
      stopRetrying();
      stayHere();
      subscriptions.clear();
      onReconnected.clear();
      closing.abort();
    },
  };

  function connect(): Promise<BusLink> {
    connecting ??= openOrRest().finally(() => {
      connecting = null;
    });
    return connecting;
  }

  async function openOrRest(): Promise<BusLink> {
    if (closing.signal.aborted) throw closed();
    if (failure && performance.now() - failure.at < restMs) throw failure.error;
    try {
      const opened = await openFirst(findPlaces(), events, connectSocket);
      failure = null;
      return welcome(opened);
    } catch (error) {
      failure = { error, at: performance.now() };
      throw error;
    }
  }

  function welcome(opened: BusLink): BusLink {
    // It may have ended meanwhile.
    if (!opened.isOpen) throw closed();
    link = opened;
    stopRetrying();
    noteUse();
    if (wasLost) comeBack(opened);
    return opened;
  }

  async function comeBack(opened: BusLink): Promise<void> {
    try {
      await subscriptions.restore(opened);
    } catch {
      // Part of the subscriptions would be missing without an error: connect again.
      opened.end();
      return;
    }
    if (link !== opened) return;
    wasLost = false;
    retries = 0;
    for (const { found } of onReconnected) attempt(found, report);
  }

  function noteUse(): void {
    lastUse = performance.now();
    leaveAfter(idleMs);
  }

  /** Never at once: a caller that waited for this link is about to use it. */
  function leaveAfter(ms: number): void {
    stayHere();
    if (!link || subscriptions.size > 0) return;
    leaving = setTimeout(leaveIfIdle, ms);
    leaving.unref();
  }

  function leaveIfIdle(): void {
    if (!link || subscriptions.size > 0) return;
    const left = lastUse + idleMs - performance.now();
    if (left > 0 || link.isBusy) return leaveAfter(Math.max(left, idleMs / 10));
    const unused = link;
    link = null;
    unused.end();
  }

  function stayHere(): void {
    if (leaving) clearTimeout(leaving);
    leaving = null;
  }

  function lose(): void {
    stayHere();
    // We closed it, or it is not the current link.
    if (!link) return;
    link = null;
    wasLost = true;
    retryLater();
    for (const entry of onReconnected) attempt(entry.lost, report);
  }

  function retryLater(): void {
    if (closing.signal.aborted || retry || subscriptions.size === 0) return;
    const delay = Math.min(lastRetryMs, firstRetryMs * 2 ** retries);
    retries++;
    retry = setTimeout(() => {
      retry = null;
      connect().catch(retryLater);
    }, delay);
    retry.unref();
  }

  function stopRetrying(): void {
    if (retry) clearTimeout(retry);
    retry = null;
  }
}

async function openFirst(places: BusEndpoint[], events: BusLinkEvents, connect: ConnectLocal): Promise<BusLink> {
  const failures: unknown[] = [];
  for (const place of places) {
    try {
      return await openBusLink(place, events, connect);
    } catch (error) {
      failures.push(error);
    }
  }
  throw failures[0];
}

/** The time for connecting counts as well; the connection attempt continues for later calls. */
function within(
  timeoutMs: number,
  connecting: Promise<BusLink>,
  { interface: iface, member }: BusCall,
): Promise<BusLink> {
  return new Promise((resolve, reject) => {
    const error = new BusError(
      'Client.Timeout',
      `There was no connection for ${iface}.${member} within ${timeoutMs} ms.`,
    );
    const timer = setTimeout(() => reject(error), timeoutMs);
    connecting.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
