import { type ActionContext, type ActionParts, contextOn } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { createDesktopPrompts } from '../../core/prompts/desktop-prompts.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { checkPointer, NoPointer, openPointer } from './linux/pointer.backends.ts';
import { LackingPointer, type PointerMover } from './linux/pointer.mover.ts';
import type { PointerControl } from './pointer.contract.ts';
import { type PointerTarget, pointerTarget, type WantedPlace, wantedPlace } from './pointer.position.ts';
import { createPointerQueue, type PointerRequest } from './pointer.queue.ts';

export const pointerLinux = (host: LinuxHost): PointerControl => {
  const using = <T>(context: ActionContext, task: PointerTask<T>): Promise<T> => {
    const { keep, caller, signal } = contextOn(context, host);
    return keep(createPointerUse).use({ tokenId: shareIdOf(caller), signal }, async (mover, running) => {
      const done = await task(mover, running);
      await mover.settle();
      return done;
    });
  };
  return {
    unavailable: () =>
      checkPointer(host).then(
        () => null,
        (error) => `The pointer cannot be moved: ${messageOf(error)}`,
      ),
    move({ x, y, display, dx, dy }, context) {
      const wanted = wantedPlace({ x, y, display });
      return using(context, async (mover, running) => {
        if (wanted !== null) return await moveTo('pointer.move', mover, wanted, running);
        await mover.moveBy(dx ?? 0, dy ?? 0, running);
        return null;
      });
    },
    click({ button, count, ...place }, context) {
      const wanted = wantedPlace(place);
      return using(context, async (mover, running) => {
        if (wanted !== null) await moveTo('pointer.click', mover, wanted, running);
        for (let time = 0; time < count; time += 1) {
          running.throwIfAborted();
          try {
            await mover.button(button, true, running);
          } finally {
            // A pressed button is released, also after a failure.
            await mover.button(button, false);
          }
        }
      });
    },
    scroll: ({ dx, dy }, context) => using(context, (mover, running) => mover.scroll(dx, dy, running)),
  };
};

async function moveTo(
  action: string,
  mover: PointerMover,
  wanted: WantedPlace,
  running: AbortSignal,
): Promise<PointerTarget> {
  const target = pointerTarget(action, await mover.displays(), wanted);
  running.throwIfAborted();
  await mover.moveTo(target.display, target.x, target.y, running);
  return target;
}

/** How long a connection stays open after the last move, ms. */
const idleMs = 5000;

type PointerTask<T> = (mover: PointerMover, running: AbortSignal) => Promise<T>;

/** One for the service. */
function createPointerUse(parts: ActionParts<LinuxHost>) {
  const { host } = parts;
  const queue = createPointerQueue(parts);
  const prompts = createDesktopPrompts(host.clock.monotonic);
  let mover: PointerMover | null = null;
  let cancelIdle = () => {};

  const leave = async () => {
    cancelIdle();
    const leaving = mover;
    mover = null;
    await leaving?.close().catch(() => {});
  };
  const isAlive = async (mover: PointerMover) =>
    await mover.settle().then(
      () => true,
      () => false,
    );
  const opened = async () => {
    // The desktop may have been restarted since the last move.
    if (mover !== null && !(await isAlive(mover))) await leave();
    mover ??= await openPointer(host);
    return mover;
  };
  const work = async <T>(task: PointerTask<T>, running: AbortSignal): Promise<T> => {
    cancelIdle();
    try {
      const mover = await opened();
      running.throwIfAborted();
      return await task(mover, running);
    } catch (cause) {
      // A refused request leaves the connection usable.
      if (!(cause instanceof ServiceError)) await leave();
      throw failure(cause);
    } finally {
      if (mover !== null) cancelIdle = host.clock.after(idleMs, () => queue.between(leave));
    }
  };
  return {
    use: <T>(wanted: PointerRequest, task: PointerTask<T>) =>
      queue.take(wanted, (running) => prompts.during(wanted.tokenId, () => work(task, running))),
    async close(): Promise<void> {
      await queue.close();
      await leave();
    },
  };
}

function failure(cause: unknown): ServiceError {
  if (cause instanceof ServiceError) return cause;
  const sentence = messageOf(cause);
  if (cause instanceof NoPointer || cause instanceof LackingPointer)
    return new ServiceError('unsupported', `The pointer cannot be moved: ${sentence}`, { cause });
  return new ServiceError('failed', `The desktop did not accept the input: ${sentence}`, { cause });
}
