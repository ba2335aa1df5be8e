import type { ActionContext, ActionParts } from '../../core/action.ts';
import { refuseInput } from '../../core/input-guard.ts';
import { activeDisplays } from '../../host/windows/active-displays.ts';
import type { MouseInput, PointerState, User32 } from '../../host/windows/native/user32.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { PointerControl } from './pointer.contract.ts';
import { type PlacedDisplay, pointerTarget, type WantedPlace, wantedPlace } from './pointer.position.ts';
import { createPointerTurns } from './pointer.queue.ts';
import type { PointerClickOutput } from './pointer.schema.ts';

type Button = PointerClickOutput['button'];

const { MOVE, WHEEL, SIDEWAYS, WHOLE_DESKTOP, ABSOLUTE } = {
  MOVE: 0x1,
  WHEEL: 0x800,
  SIDEWAYS: 0x1000,
  WHOLE_DESKTOP: 0x4000,
  ABSOLUTE: 0x8000,
};
const buttons: Record<Button, { down: number; up: number }> = {
  left: { down: 0x2, up: 0x4 },
  right: { down: 0x8, up: 0x10 },
  middle: { down: 0x20, up: 0x40 },
};
/** One step of a wheel. */
const wheelStep = 120;
/** Into so many parts Windows divides the desktop, whatever its size. */
const parts = 65_536;
const locked = 'the screen is locked, or nobody is connected to this session';

/** What belongs to one request is sent in one go, so that neither the user nor another program comes in between. */
export const pointerWindows = (host: WindowsHost): PointerControl => {
  const inTurn = async <T>({ keep, caller, signal }: ActionContext, task: (user32: User32) => T): Promise<T> => {
    const { user32 } = await host.native();
    return await keep(createPointerUse).use({ tokenId: caller.tokenId, signal }, () => task(user32));
  };
  return {
    async unavailable() {
      const { user32 } = await host.native();
      return user32.pointerState() === null ? `The pointer cannot be moved: ${locked}` : null;
    },
    async move({ x, y, display, dx, dy }, context) {
      const wanted = wantedPlace({ x, y, display });
      return await inTurn(context, (user32) => {
        const desk = deskOf(user32);
        if (wanted === null) {
          // Distances that Windows is told grow with the speed of the pointer, so it is told the place.
          send(user32, [moved(desk, desk.x + Math.round(dx ?? 0), desk.y + Math.round(dy ?? 0))]);
          return { message: 'The pointer was moved', data: { display: null, x: null, y: null } };
        }
        const { input, display: found, ...at } = movedTo('pointer.move', user32, desk, wanted);
        send(user32, [input]);
        return { message: `The pointer was moved on ${found.id}`, data: { display: found.id, ...at } };
      });
    },
    async click({ button, count, x, y, display }, context) {
      const which = button ?? 'left';
      const times = count ?? 1;
      const wanted = wantedPlace({ x, y, display });
      return await inTurn(context, (user32) => {
        const desk = deskOf(user32);
        const { down, up } = buttons[desk.isSwapped ? swapped[which] : which];
        const there = wanted === null ? [] : [movedTo('pointer.click', user32, desk, wanted).input];
        const clicks = Array.from({ length: times }, () => [input({ flags: down }), input({ flags: up })]);
        send(user32, [...there, ...clicks.flat()]);
        return { message: `The ${which} button was clicked`, data: { button: which, count: times } };
      });
    },
    async scroll({ dx, dy }, context) {
      const steps = { dx: dx ?? 0, dy: dy ?? 0 };
      return await inTurn(context, (user32) => {
        // Away from the user counts as positive, which is up.
        send(user32, [...turned(WHEEL, -steps.dy), ...turned(SIDEWAYS, steps.dx)]);
        return { message: 'The wheel was turned', data: steps };
      });
    },
  };
};

/** One for the service. */
function createPointerUse(given: ActionParts) {
  const turns = createPointerTurns();
  return {
    use: <T>(wanted: { tokenId: string; signal: AbortSignal }, task: () => T) =>
      turns.take(wanted, async () => {
        refuseInput(given);
        return task();
      }),
    close: turns.close,
  };
}

/** SendInput presses the buttons of the mouse itself; which of them is the left one is a setting of the user. */
const swapped: Record<Button, Button> = { left: 'right', right: 'left', middle: 'middle' };

const input = (given: Partial<MouseInput>): MouseInput => ({ dx: 0, dy: 0, data: 0, flags: 0, ...given });

function turned(flags: number, steps: number): MouseInput[] {
  return Array.from({ length: Math.abs(steps) }, () => input({ flags, data: Math.sign(steps) * wheelStep }));
}

function deskOf(user32: User32): PointerState {
  const desk = user32.pointerState();
  if (desk === null) throw new ServiceError('failed', `The pointer was not moved: ${locked}`);
  return desk;
}

function movedTo(action: string, user32: User32, desk: PointerState, wanted: WantedPlace) {
  const target = pointerTarget(action, displaysOf(user32), wanted);
  const { display, x, y } = target;
  return { ...target, input: moved(desk, display.x + Math.floor(x), display.y + Math.floor(y)) };
}

/** The desktop counts the pixels of every display, however much larger a display shows everything. */
function displaysOf(user32: User32): PlacedDisplay[] {
  return (activeDisplays(user32) ?? []).flatMap(({ id, area: place }) =>
    place === null ? [] : [{ id, ...place, pixelWidth: place.width, pixelHeight: place.height }],
  );
}

/** Beyond the edge of the desktop is its edge. */
function moved({ left, top, width, height }: PointerState, x: number, y: number): MouseInput {
  return input({
    dx: partOf(x - left, width),
    dy: partOf(y - top, height),
    flags: MOVE | ABSOLUTE | WHOLE_DESKTOP,
  });
}

/** The middle of the pixel, so that rounding stays inside of it, whichever way Windows rounds. */
function partOf(pixel: number, size: number): number {
  const within = Math.min(size - 1, Math.max(0, pixel));
  return Math.floor(((within + 0.5) * parts) / size);
}

function send(user32: User32, inputs: MouseInput[]): void {
  if (inputs.length === 0) return;
  const taken = user32.sendPointer(inputs);
  if (taken === inputs.length) return;
  // One that went down goes up again, whatever happens.
  const last = inputs[taken - 1]?.flags;
  const held = Object.values(buttons).find(({ down }) => down === last);
  if (held !== undefined) user32.sendPointer([input({ flags: held.up })]);
  throw new ServiceError(
    'failed',
    'Windows did not take everything: a program with higher rights is in front, or the screen is locked',
  );
}
