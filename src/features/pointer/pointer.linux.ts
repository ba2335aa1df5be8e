import { type ActionContext, type ActionParts, type ActionResult, contextOn } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { withInput } from '../../core/input-guard.ts';
import { createDesktopPrompts } from '../../core/prompts/desktop-prompts.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { checkPointer, NoPointer, openPointer, type PointerHost } from './linux/pointer.backends.ts';
import { LackingPointer, type PointerMover } from './linux/pointer.mover.ts';
import type { PointerControl } from './pointer.contract.ts';
import { type PointerTarget, pointerTarget, type WantedPlace, wantedPlace } from './pointer.position.ts';
import { createPointerQueue } from './pointer.queue.ts';
import type {
  PointerClickInput,
  PointerClickOutput,
  PointerMoveInput,
  PointerMoveOutput,
  PointerScrollInput,
  PointerScrollOutput,
} from './pointer.schema.ts';

export const pointerLinux = (host: LinuxHost): PointerControl => ({
  unavailable: () => unavailable(host),
  move: (input, context) => move(input, contextOn(context, host)),
  click: (input, context) => click(input, contextOn(context, host)),
  scroll: (input, context) => scroll(input, contextOn(context, host)),
});

async function move(
  { x, y, display, dx, dy }: PointerMoveInput,
  context: ActionContext<LinuxHost>,
): Promise<ActionResult<PointerMoveOutput>> {
  const wanted = wantedPlace({ x, y, display });
  return await using(context, async (mover) => {
    if (wanted === null) {
      await mover.moveBy(dx ?? 0, dy ?? 0);
      await mover.settle();
      return { message: 'The pointer was moved', data: { display: null, x: null, y: null } };
    }
    const { display: found, ...at } = await moveTo('pointer.move', mover, wanted);
    await mover.settle();
    return { message: `The pointer was moved on ${found.id}`, data: { display: found.id, ...at } };
  });
}

async function click(
  { button, count, x, y, display }: PointerClickInput,
  context: ActionContext<LinuxHost>,
): Promise<ActionResult<PointerClickOutput>> {
  const which = button ?? 'left';
  const times = count ?? 1;
  const wanted = wantedPlace({ x, y, display });
  return await using(context, async (mover) => {
    if (wanted !== null) await moveTo('pointer.click', mover, wanted);
    for (let time = 0; time < times; time += 1) {
      try {
        await mover.button(which, true);
      } finally {
        // A pressed button is released, also after a failure.
        await mover.button(which, false);
      }
    }
    await mover.settle();
    return { message: `The ${which} button was clicked`, data: { button: which, count: times } };
  });
}

async function scroll(
  { dx, dy }: PointerScrollInput,
  context: ActionContext<LinuxHost>,
): Promise<ActionResult<PointerScrollOutput>> {
  const steps = { dx: dx ?? 0, dy: dy ?? 0 };
  return await using(context, async (mover) => {
    await mover.scroll(steps.dx, steps.dy);
    await mover.settle();
    return { message: 'The wheel was turned', data: steps };
  });
}

async function moveTo(action: string, mover: PointerMover, wanted: WantedPlace): Promise<PointerTarget> {
  const target = pointerTarget(action, await mover.displays(), wanted);
  await mover.moveTo(target.display, target.x, target.y);
  return target;
}

async function unavailable(host: PointerHost): Promise<string | null> {
  try {
    await checkPointer(host);
    return null;
  } catch (error) {
    return `The pointer cannot be moved: ${messageOf(error)}`;
  }
}

/** How long a connection stays open after the last move, ms. */
const idleMs = 5000;

type PointerTask<T> = (mover: PointerMover) => Promise<T>;

const using = <T>({ keep, caller, signal }: ActionContext<LinuxHost>, task: PointerTask<T>): Promise<T> =>
  keep(createPointerUse).use({ tokenId: shareIdOf(caller), signal }, task);

/** One for the service. */
function createPointerUse(parts: ActionParts<LinuxHost>) {
  const { host } = parts;
  const queue = createPointerQueue();
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
  const work = async <T>(task: PointerTask<T>): Promise<T> => {
    cancelIdle();
    try {
      return await task(await opened());
    } catch (cause) {
      // A refused request leaves the connection usable.
      if (!(cause instanceof ServiceError)) await leave();
      throw failure(cause);
    } finally {
      if (mover !== null) cancelIdle = host.clock.after(idleMs, () => queue.between(leave));
    }
  };
  return {
    use: <T>(wanted: { tokenId: string; signal: AbortSignal }, task: PointerTask<T>) =>
      queue.take(wanted, () => withInput(parts, () => prompts.during(wanted.tokenId, () => work(task)))),
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
