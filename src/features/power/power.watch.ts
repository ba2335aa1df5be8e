import type { ActionParts } from '../../core/action.ts';
import type { MachineEvent } from '../../host/machine-events.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { type LoadPower, loadControl } from './power.control.ts';

/** Listens to what is about to happen to the machine, but only while it matters to somebody: an idle service costs nothing. */
export interface PowerWatch {
  /** Somebody needs it, until the returned function is called. */
  want(): () => void;
  /** The same, and resolves when sleep and shutdown wait for us, or that could not be had in good time. */
  guard(): Promise<() => void>;
  close(): void;
}

/** Clients that lose their connection come back: it need not be built up anew each time. */
const lingerMs = 10_000;
const firstRetryMs = 5000;
const lastRetryMs = 300_000;
const guardWithinMs = 1000;
/** All of it together stays below the 2 s in which we let go. */
const lastUpdateMs = 1500;
/** An answer that was given a moment ago is on its way by then. */
const answersMs = 250;
const wakeUpdateMs = 5000;

type Parts = Pick<ActionParts, 'host' | 'audience' | 'log'>;

export function createWatch(
  { host, audience, log }: Parts,
  resumed: () => void,
  load: LoadPower = loadControl,
): PowerWatch {
  const { clock } = host;
  let orders = 0;
  let closed = false;
  let running: Promise<void> | null = null;
  /** What was begun before the last end must not leave anything behind. */
  let round = 0;
  let stopFollowing: (() => void) | null = null;
  let release: (() => void) | null = null;
  let goingDown = false;
  let retries = 0;
  let cancelLinger: (() => void) | null = null;
  let cancelRetry: (() => void) | null = null;

  const isWanted = () => !closed && (orders > 0 || audience.count() > 0);

  const update = () => {
    cancelLinger?.();
    cancelLinger = null;
    if (closed) return;
    if (!isWanted()) cancelLinger = clock.after(lingerMs, end);
    else if (running === null) begin();
  };

  const begin = () => {
    running = build().catch(retryLater);
  };

  const retryLater = (error: unknown) => {
    if (closed) return;
    log.debug(`power: sleep and shutdown cannot be delayed: ${messageOf(error)}`);
    cancelRetry?.();
    cancelRetry = clock.after(Math.min(lastRetryMs, firstRetryMs * 2 ** retries), () => {
      end();
      update();
    });
    retries++;
  };

  const build = async () => {
    const own = round;
    const announcements = (await load(host))?.announcements ?? null;
    if (announcements === null) return;
    const stop = await announcements.follow(hear);
    if (own !== round) return stop();
    stopFollowing = stop;
    await take();
    retries = 0;
  };

  /** Takes the new one before the old one goes: there is no moment without. */
  const take = async () => {
    const own = round;
    const announcements = (await load(host))?.announcements ?? null;
    if (announcements === null || goingDown || own !== round) return;
    const taken = await announcements.delay();
    if (goingDown || own !== round) return taken();
    letGo();
    release = taken;
  };

  const letGo = () => {
    release?.();
    release = null;
  };

  const end = () => {
    round++;
    cancelRetry?.();
    cancelRetry = null;
    stopFollowing?.();
    stopFollowing = null;
    letGo();
    running = null;
    goingDown = false;
  };

  const hear = (event: MachineEvent) => {
    if (event === 'sleep' || event === 'shutdown') {
      goingDown = true;
      void lastWords().then(() => {
        if (goingDown) letGo();
      });
      return;
    }
    goingDown = false;
    if (event === 'resume') {
      log.info('power: the machine is awake again');
      resumed();
      void audience.refresh(wakeUpdateMs).catch(() => {});
    }
    take().catch(retryLater);
  };

  const lastWords = async () => {
    await Promise.allSettled([audience.refresh(lastUpdateMs), sleep(clock, answersMs)]);
  };

  /** An earlier attempt may have failed because something else was under way then. */
  const ready = async () => {
    await running;
    if (release === null) await take().catch(retryLater);
  };

  const want = () => {
    let gone = false;
    orders++;
    update();
    return () => {
      if (gone) return;
      gone = true;
      orders--;
      update();
    };
  };

  const stopListening = audience.onChange(update);
  if (isWanted()) update();
  return {
    want,
    async guard() {
      const gone = want();
      await Promise.race([ready(), sleep(clock, guardWithinMs)]);
      return gone;
    },
    close() {
      closed = true;
      stopListening();
      cancelLinger?.();
      end();
    },
  };
}
