import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { type BusCall, BusError, type OfferingBus, type Signal, type SignalMatch } from './dbus.ts';
import type { Offers } from './exported-objects.ts';
import { closed } from './link.errors.ts';
import { type BusEndpoint, type BusLink, type BusLinkEvents, openBusLink, replyTimeoutMs } from './link.ts';
import { checkCall, checkMatch } from './names.ts';
import { attempt, createSubscriptions, type Subscriptions } from './subscriptions.ts';
import { wrap } from './wrap.ts';

export interface BusOptions {
  /** Called with errors that subscribers throw. */
  report?: (error: unknown) => void;
  /** Idle time after which the connection is closed, without calls and subscriptions: an open socket wakes the process every second. */
  idleMs?: number;
  /** Exported objects; left out: none. */
  offers?: Offers;
}

/** Calls within this time after a failure share it, so that a burst of calls is not a burst of connections. It doubles with each failure. */
const restMs = 200;
const longestRestMs = 5000;
const firstRetryMs = 250;
const lastRetryMs = 30_000;

/** A bus at the first of these addresses that answers; it connects on first use. */
export function createBus(
  findPlaces: () => BusEndpoint[],
  connectSocket: ConnectLocal,
  { report = warn, idleMs = 20_000, offers }: BusOptions = {},
): OfferingBus {
  const state: State = {
    link: null,
    connecting: null,
    failure: null,
    failures: 0,
    retry: null,
    retries: 0,
    idleTimer: null,
    idleMs,
    lastUse: 0,
    wasLost: false,
    closing: new AbortController(),
    subscriptions: createSubscriptions(() => state.link, report),
    reconnections: new Set(),
    report,
    open: () => openFirst(findPlaces(), events, connectSocket),
  };
  const events: BusLinkEvents = {
    onSignal: state.subscriptions.dispatch,
    ...(offers && { onCall: offers.handle }),
    onEnded: () => linkEnded(state),
    closing: state.closing.signal,
  };
  return {
    call: (request) => call(state, request),
    subscribe: (match, onSignal) => subscribe(state, match, onSignal),
    onReconnected(callback, lost = () => {}) {
      const entry = { found: () => callback(), lost: () => lost() };
      state.reconnections.add(entry);
      return () => state.reconnections.delete(entry);
    },
    unreachable: () => restingError(state),
    forgetFailure() {
      state.failure = null;
      state.failures = 0;
    },
    name: () => state.link?.name ?? null,
    emit({ path, interface: iface, member, signature = '', body = [] }) {
      const message = { path, interface: iface, member };
      // Without a connection there are no receivers.
      state.link?.emit(signature === '' ? message : { ...message, signature, body: wrap(signature, body) });
    },
    close() {
      stopRetrying(state);
      stopIdleTimer(state);
      state.subscriptions.clear();
      state.reconnections.clear();
      state.closing.abort();
    },
  };
}

interface State {
  link: BusLink | null;
  connecting: Promise<BusLink> | null;
  failure: { error: unknown; until: number } | null;
  failures: number;
  retry: NodeJS.Timeout | null;
  retries: number;
  idleTimer: NodeJS.Timeout | null;
  readonly idleMs: number;
  lastUse: number;
  wasLost: boolean;
  readonly closing: AbortController;
  readonly subscriptions: Subscriptions;
  readonly reconnections: Set<{ found(): void; lost(): void }>;
  readonly report: (error: unknown) => void;
  open(): Promise<BusLink>;
}

async function call(state: State, request: BusCall): Promise<unknown[]> {
  checkCall(request);
  const resting = restingError(state);
  if (resting !== null) throw resting;
  const { destination, path, interface: iface, member, signature = '', body = [] } = request;
  const { timeoutMs = replyTimeoutMs } = request;
  const wrapped = wrap(signature, body);
  const message = { destination, path, interface: iface, member };
  const started = performance.now();
  state.lastUse = started;
  const link = state.link ?? (await within(timeoutMs, connect(state), request));
  const left = Math.max(1, timeoutMs - (performance.now() - started));
  return link.request(signature === '' ? message : { ...message, signature, body: wrapped }, left);
}

async function subscribe(state: State, match: SignalMatch, onSignal: (signal: Signal) => void): Promise<() => void> {
  checkMatch(match);
  try {
    const release = await state.subscriptions.add(state.link ?? (await connect(state)), { ...match }, onSignal);
    return () => {
      release();
      if (state.subscriptions.size === 0) stopRetrying(state);
      noteUse(state);
    };
  } catch (error) {
    noteUse(state);
    throw error;
  }
}

function connect(state: State): Promise<BusLink> {
  state.connecting ??= openOrRest(state).finally(() => {
    state.connecting = null;
  });
  return state.connecting;
}

async function openOrRest(state: State): Promise<BusLink> {
  if (state.closing.signal.aborted) throw closed();
  const resting = restingError(state);
  if (resting !== null) throw resting;
  try {
    const opened = await state.open();
    state.failure = null;
    state.failures = 0;
    useLink(state, opened);
    return opened;
  } catch (error) {
    state.failure = { error, until: performance.now() + Math.min(longestRestMs, restMs * 2 ** state.failures) };
    state.failures += 1;
    throw error;
  }
}

function restingError({ link, failure }: State): unknown {
  return link === null && failure !== null && performance.now() < failure.until ? failure.error : null;
}

function useLink(state: State, opened: BusLink): void {
  // It may have ended meanwhile.
  if (!opened.isOpen) throw closed();
  state.link = opened;
  stopRetrying(state);
  noteUse(state);
  if (state.wasLost) restore(state, opened);
}

async function restore(state: State, opened: BusLink): Promise<void> {
  try {
    await state.subscriptions.restore(opened);
  } catch {
    // Part of the subscriptions would be missing without an error: connect again.
    opened.end();
    return;
  }
  if (state.link !== opened) return;
  state.wasLost = false;
  state.retries = 0;
  for (const { found } of state.reconnections) attempt(found, state.report);
}

function noteUse(state: State): void {
  state.lastUse = performance.now();
  closeAfter(state, state.idleMs);
}

/** Never at once: a caller that waited for this link is about to use it. */
function closeAfter(state: State, ms: number): void {
  stopIdleTimer(state);
  if (!state.link || state.subscriptions.size > 0) return;
  state.idleTimer = setTimeout(() => closeIfIdle(state), ms);
  state.idleTimer.unref();
}

function closeIfIdle(state: State): void {
  const { link, idleMs } = state;
  if (!link || state.subscriptions.size > 0) return;
  const left = state.lastUse + idleMs - performance.now();
  if (left > 0 || link.isBusy) return closeAfter(state, Math.max(left, idleMs / 10));
  state.link = null;
  link.end();
}

function stopIdleTimer(state: State): void {
  if (state.idleTimer) clearTimeout(state.idleTimer);
  state.idleTimer = null;
}

function linkEnded(state: State): void {
  stopIdleTimer(state);
  // We closed it, or it is not the current link.
  if (!state.link) return;
  state.link = null;
  state.wasLost = true;
  retryLater(state);
  for (const { lost } of state.reconnections) attempt(lost, state.report);
}

function retryLater(state: State): void {
  if (state.closing.signal.aborted || state.retry || state.subscriptions.size === 0) return;
  const delay = Math.min(lastRetryMs, firstRetryMs * 2 ** state.retries);
  state.retries++;
  state.retry = setTimeout(() => {
    state.retry = null;
    connect(state).catch(() => retryLater(state));
  }, delay);
  state.retry.unref();
}

function stopRetrying(state: State): void {
  if (state.retry) clearTimeout(state.retry);
  state.retry = null;
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
      `No connection was available for ${iface}.${member} within ${timeoutMs} ms.`,
    );
    const timer = setTimeout(() => reject(error), timeoutMs);
    connecting.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

function warn(error: unknown): void {
  process.emitWarning(`A subscriber of D-Bus signals failed: ${error instanceof Error ? error.stack : error}`);
}
