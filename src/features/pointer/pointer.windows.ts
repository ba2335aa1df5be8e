import type { ActionContext } from '../../core/action.ts';
import { shareIdOf } from '../../core/caller.ts';
import { activeDisplays } from '../../host/windows/active-displays.ts';
import { requireDesktop, whyNoInputDesktop } from '../../host/windows/desktop-access.ts';
import type { MouseInput, PointerState, User32 } from '../../host/windows/native/user32.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { PointerControl } from './pointer.contract.ts';
import { type PlacedDisplay, pointerTarget, type WantedPlace, wantedPlace } from './pointer.position.ts';
import { createPointerQueue } from './pointer.queue.ts';
import type { PointerClickOutput } from './pointer.schema.ts';

type Button = PointerClickOutput['button'];

const MOVE = 0x1;
const WHEEL = 0x800;
const SIDEWAYS = 0x1000;
const WHOLE_DESKTOP = 0x4000;
const ABSOLUTE = 0x8000;
const buttons: Record<Button, { down: number; up: number }> = {
  left: { down: 0x2, up: 0x4 },
  right: { down: 0x8, up: 0x10 },
  middle: { down: 0x20, up: 0x40 },
};
const wheelStep = 120;
/** Windows divides the desktop into this many parts, whatever its size. */
const parts = 65_536;
const locked = 'the screen is locked, or no user is connected to this session';

/** The inputs of one request are sent in one call, so that no other input comes in between. */
export const pointerWindows = (host: WindowsHost): PointerControl => {
  const inTurn = async <T>({ keep, caller, signal }: ActionContext, task: (user32: User32) => T): Promise<T> => {
    const { user32 } = await host.native();
    return await keep(createPointerQueue).take({ tokenId: shareIdOf(caller), signal }, async (running) => {
      await requireDesktop(host);
      running.throwIfAborted();
      return task(user32);
    });
  };
  return {
    async unavailable() {
      const why = await whyNoInputDesktop(host);
      if (why !== null) return why;
      const { user32 } = await host.native();
      return user32.pointerState() === null ? `The pointer cannot be moved: ${locked}` : null;
    },
    move({ x, y, display, dx, dy }, context) {
      const wanted = wantedPlace({ x, y, display });
      return inTurn(context, (user32) => {
        const state = stateOf(user32);
        if (wanted === null) {
          // Windows scales relative moves by the pointer speed, so the absolute position is sent.
          send(user32, [moved(state, state.x + Math.round(dx ?? 0), state.y + Math.round(dy ?? 0))]);
          return null;
        }
        const { input, ...target } = movedTo('pointer.move', user32, state, wanted);
        send(user32, [input]);
        return target;
      });
    },
    click({ button, count, ...place }, context) {
      const wanted = wantedPlace(place);
      return inTurn(context, (user32) => {
        const state = stateOf(user32);
        const { down, up } = buttons[state.isSwapped ? swapped[button] : button];
        const there = wanted === null ? [] : [movedTo('pointer.click', user32, state, wanted).input];
        const clicks = Array.from({ length: count }, () => [input({ flags: down }), input({ flags: up })]);
        send(user32, [...there, ...clicks.flat()]);
      });
    },
    // Away from the user is positive, which is up.
    scroll: ({ dx, dy }, context) =>
      inTurn(context, (user32) => send(user32, [...turned(WHEEL, -dy), ...turned(SIDEWAYS, dx)])),
  };
};

/** SendInput presses physical buttons; the user may have swapped them. */
const swapped: Record<Button, Button> = { left: 'right', right: 'left', middle: 'middle' };

const input = (given: Partial<MouseInput>): MouseInput => ({ dx: 0, dy: 0, data: 0, flags: 0, ...given });

function turned(flags: number, steps: number): MouseInput[] {
  return Array.from({ length: Math.abs(steps) }, () => input({ flags, data: Math.sign(steps) * wheelStep }));
}

function stateOf(user32: User32): PointerState {
  const state = user32.pointerState();
  if (state === null) throw new ServiceError('failed', `The pointer was not moved: ${locked}`);
  return state;
}

function movedTo(action: string, user32: User32, state: PointerState, wanted: WantedPlace) {
  const target = pointerTarget(action, displaysOf(user32), wanted);
  const { display, x, y } = target;
  return { ...target, input: moved(state, display.x + Math.floor(x), display.y + Math.floor(y)) };
}

/** The desktop is in physical pixels of every display, whatever its scale. */
function displaysOf(user32: User32): PlacedDisplay[] {
  return (activeDisplays(user32) ?? []).flatMap(({ id, area: place }) =>
    place === null ? [] : [{ id, ...place, pixelWidth: place.width, pixelHeight: place.height }],
  );
}

/** Positions beyond the edge of the desktop are clamped. */
function moved({ left, top, width, height }: PointerState, x: number, y: number): MouseInput {
  return input({
    dx: partOf(x - left, width),
    dy: partOf(y - top, height),
    flags: MOVE | ABSOLUTE | WHOLE_DESKTOP,
  });
}

/** The middle of the pixel, so that rounding stays inside it. */
function partOf(pixel: number, size: number): number {
  const within = Math.min(size - 1, Math.max(0, pixel));
  return Math.floor(((within + 0.5) * parts) / size);
}

function send(user32: User32, inputs: MouseInput[]): void {
  if (inputs.length === 0) return;
  const taken = user32.sendPointer(inputs);
  if (taken === inputs.length) return;
  // A pressed button is released, also after a failure.
  const last = inputs[taken - 1]?.flags;
  const held = Object.values(buttons).find(({ down }) => down === last);
  if (held !== undefined) user32.sendPointer([input({ flags: held.up })]);
  throw new ServiceError(
    'failed',
    'Windows did not accept all input: a program with higher rights has the focus, or the screen is locked',
  );
}
