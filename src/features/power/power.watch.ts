import type { ActionParts } from '../../core/action.ts';
import type { MachineEvent } from '../../host/machine-events.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { type LoadPower, loadControl } from './power.control.ts';

/** Follows sleep and shutdown, and delays them while a client listens or an order runs; otherwise it holds nothing. */
export type PowerWatch = ReturnType<typeof createWatch>;

/** Stays active this long for clients that reconnect. */
const lingerMs = 10_000;
const firstRetryMs = 5000;
const lastRetryMs = 300_000;
const guardWithinMs = 1000;
/** Below the 2 s after which the delay is released. */
const lastUpdateMs = 1500;
/** Time for a response that was just given to be sent. */
const answersMs = 250;
const wakeUpdateMs = 5000;

interface Watch extends Pick<ActionParts, 'host' | 'subscribers' | 'log'> {
  resumed(): void;
  load: LoadPower;
  orders: number;
  closed: boolean;
  /** null: nothing is followed. */
  setUp: Promise<void> | null;
  /** Incremented when following ends: a set-up of an earlier round releases what it acquires. */
  round: number;
  stopFollowing: (() => void) | null;
  release: (() => void) | null;
  goingDown: boolean;
  retries: number;
  cancelLinger: (() => void) | null;
  cancelRetry: (() => void) | null;
}

export function createWatch(
  { host, subscribers, log }: Pick<ActionParts, 'host' | 'subscribers' | 'log'>,
  resumed: () => void,
  load: LoadPower = loadControl,
) {
  const watch: Watch = {
    host,
    subscribers,
    log,
    resumed,
    load,
    orders: 0,
    closed: false,
    setUp: null,
    round: 0,
    stopFollowing: null,
    release: null,
    goingDown: false,
    retries: 0,
    cancelLinger: null,
    cancelRetry: null,
  };
  const stopListening = subscribers.onChange(() => update(watch));
  if (isWanted(watch)) update(watch);
  return {
    /** Keeps it active until the returned function is called. */
    want: () => want(watch),
    /** The same; resolves when sleep and shutdown are delayed, or after a second without that. */
    async guard(): Promise<() => void> {
      const unwant = want(watch);
      await Promise.race([ready(watch), sleep(host.clock, guardWithinMs)]);
      return unwant;
    },
    close() {
      watch.closed = true;
      stopListening();
      watch.cancelLinger?.();
      end(watch);
    },
  };
}

const isWanted = ({ closed, orders, subscribers }: Watch) => !closed && (orders > 0 || subscribers.count() > 0);

function want(watch: Watch): () => void {
  let isOver = false;
  watch.orders++;
  update(watch);
  return () => {
    if (isOver) return;
    isOver = true;
    watch.orders--;
    update(watch);
  };
}

function update(watch: Watch): void {
  watch.cancelLinger?.();
  watch.cancelLinger = null;
  if (watch.closed) return;
  if (!isWanted(watch)) watch.cancelLinger = watch.host.clock.after(lingerMs, () => end(watch));
  else watch.setUp ??= follow(watch).catch((error) => retryLater(watch, error));
}

function retryLater(watch: Watch, error: unknown): void {
  if (watch.closed) return;
  watch.log.debug(`power: sleep and shutdown cannot be delayed: ${messageOf(error)}`);
  watch.cancelRetry?.();
  watch.cancelRetry = watch.host.clock.after(Math.min(lastRetryMs, firstRetryMs * 2 ** watch.retries), () => {
    end(watch);
    update(watch);
  });
  watch.retries++;
}

async function follow(watch: Watch): Promise<void> {
  const { round, load, host } = watch;
  const announcements = (await load(host))?.announcements ?? null;
  if (announcements === null) return;
  const stop = await announcements.follow((event) => receive(watch, event));
  if (round !== watch.round) return stop();
  watch.stopFollowing = stop;
  await delay(watch);
  watch.retries = 0;
}

/** Acquires the new delay before it releases the old one, so that none is missed in between. */
async function delay(watch: Watch): Promise<void> {
  const { round, load, host } = watch;
  const announcements = (await load(host))?.announcements ?? null;
  if (announcements === null || watch.goingDown || round !== watch.round) return;
  const release = await announcements.delay();
  if (watch.goingDown || round !== watch.round) return release();
  releaseDelay(watch);
  watch.release = release;
}

function releaseDelay(watch: Watch): void {
  watch.release?.();
  watch.release = null;
}

function end(watch: Watch): void {
  watch.round++;
  watch.cancelRetry?.();
  watch.cancelRetry = null;
  watch.stopFollowing?.();
  watch.stopFollowing = null;
  releaseDelay(watch);
  watch.setUp = null;
  watch.goingDown = false;
}

function receive(watch: Watch, event: MachineEvent): void {
  const { subscribers, host, log } = watch;
  watch.goingDown = event === 'sleep' || event === 'shutdown';
  if (watch.goingDown) {
    void Promise.allSettled([subscribers.refresh(lastUpdateMs), sleep(host.clock, answersMs)]).then(() => {
      if (watch.goingDown) releaseDelay(watch);
    });
    return;
  }
  if (event === 'resume') {
    log.info('power: the machine is awake again');
    watch.resumed();
    void subscribers.refresh(wakeUpdateMs).catch(() => {});
  }
  delay(watch).catch((error) => retryLater(watch, error));
}

/** An earlier attempt may have failed because a shutdown was in progress. */
async function ready(watch: Watch): Promise<void> {
  await watch.setUp;
  if (watch.release === null) await delay(watch).catch((error) => retryLater(watch, error));
}
