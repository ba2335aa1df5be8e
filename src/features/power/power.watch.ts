import type { ActionParts } from '../../core/action.ts';
import type { MachineEvent } from '../../host/machine-events.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { type LoadPower, loadControl } from './power.control.ts';

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

/** Follows sleep and shutdown, and delays them while a client listens or an order runs; otherwise it holds nothing. */
export function createWatch(
  { host, subscribers, log }: Pick<ActionParts, 'host' | 'subscribers' | 'log'>,
  resumed: () => void,
  load: LoadPower = loadControl,
) {
  let orders = 0;
  let closed = false;
  /** null: nothing is followed. */
  let setUp: Promise<void> | null = null;
  /** Incremented when following ends: a set-up of an earlier round releases what it acquires. */
  let round = 0;
  let stopFollowing: (() => void) | null = null;
  let release: (() => void) | null = null;
  let goingDown = false;
  let retries = 0;
  let cancelLinger: (() => void) | null = null;
  let cancelRetry: (() => void) | null = null;

  const isWanted = () => !closed && (orders > 0 || subscribers.count() > 0);

  function want(): () => void {
    let isOver = false;
    orders++;
    update();
    return () => {
      if (isOver) return;
      isOver = true;
      orders--;
      update();
    };
  }

  function update(): void {
    cancelLinger?.();
    cancelLinger = null;
    if (closed) return;
    if (!isWanted()) cancelLinger = host.clock.after(lingerMs, () => end());
    else setUp ??= follow().catch((error) => retryLater(error));
  }

  function retryLater(error: unknown): void {
    if (closed) return;
    log.debug(`power: sleep and shutdown cannot be delayed: ${messageOf(error)}`);
    cancelRetry?.();
    cancelRetry = host.clock.after(Math.min(lastRetryMs, firstRetryMs * 2 ** retries), () => {
      end();
      update();
    });
    retries++;
  }

  async function follow(): Promise<void> {
    const mine = round;
    const announcements = (await load(host))?.announcements ?? null;
    if (announcements === null) return;
    const stop = await announcements.follow((event) => receive(event));
    if (round !== mine) return stop();
    stopFollowing = stop;
    await delay();
    retries = 0;
  }

  /** Acquires the new delay before it releases the old one, so that none is missed in between. */
  async function delay(): Promise<void> {
    const mine = round;
    const announcements = (await load(host))?.announcements ?? null;
    if (announcements === null || goingDown || round !== mine) return;
    const delayed = await announcements.delay();
    if (goingDown || round !== mine) return delayed();
    releaseDelay();
    release = delayed;
  }

  function releaseDelay(): void {
    release?.();
    release = null;
  }

  function end(): void {
    round++;
    cancelRetry?.();
    cancelRetry = null;
    stopFollowing?.();
    stopFollowing = null;
    releaseDelay();
    setUp = null;
    goingDown = false;
  }

  function receive(event: MachineEvent): void {
    goingDown = event === 'sleep' || event === 'shutdown';
    if (goingDown) {
      void Promise.allSettled([subscribers.refresh(lastUpdateMs), sleep(host.clock, answersMs)]).then(() => {
        if (goingDown) releaseDelay();
      });
      return;
    }
    if (event === 'resume') {
      log.info('power: the machine is awake again');
      resumed();
      void subscribers.refresh(wakeUpdateMs).catch(() => {});
    }
    delay().catch((error) => retryLater(error));
  }

  /** An earlier attempt may have failed because a shutdown was in progress. */
  async function ready(): Promise<void> {
    await setUp;
    if (release === null) await delay().catch((error) => retryLater(error));
  }

  const stopListening = subscribers.onChange(() => update());
  if (isWanted()) update();
  return {
    /** Keeps it active until the returned function is called. */
    want,
    /** The same; resolves when sleep and shutdown are delayed, or after a second without that. */
    async guard(): Promise<() => void> {
      const unwant = want();
      await Promise.race([ready(), sleep(host.clock, guardWithinMs)]);
      return unwant;
    },
    close() {
      closed = true;
      stopListening();
      cancelLinger?.();
      end();
    },
  };
}
