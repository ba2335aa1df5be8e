import type { PlacedDisplay } from '../pointer.position.ts';

/** Moves the pointer of this desktop. Calls are performed in order; nothing is sent if the signal is aborted while they prepare. */
export interface PointerMover {
  displays(): Promise<PointerDisplay[]>;
  /** In pixels of that display, which was in the latest list. */
  moveTo(display: PointerDisplay, x: number, y: number, signal?: AbortSignal): Promise<void>;
  moveBy(dx: number, dy: number, signal?: AbortSignal): Promise<void>;
  button(button: PointerButton, isDown: boolean, signal?: AbortSignal): Promise<void>;
  /** In wheel steps, to the right and down. */
  scroll(dx: number, dy: number, signal?: AbortSignal): Promise<void>;
  /** Resolves when the desktop has processed everything. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

export type PointerDisplay = PlacedDisplay;

export type PointerButton = 'left' | 'middle' | 'right';

/** This backend cannot do it, as opposed to a failure. The message says what would help. */
export class LackingPointer extends Error {
  override readonly name = 'LackingPointer';
}

/** Codes of the Linux kernel, which Wayland and portals use as well. */
export const buttonCodes: Record<PointerButton, number> = { left: 0x110, middle: 0x112, right: 0x111 };

/** The position of a display's pixel in the virtual desktop. */
export function inDesktop({ x, y, width, height, pixelWidth, pixelHeight }: PointerDisplay, left: number, top: number) {
  return { x: x + (left * width) / pixelWidth, y: y + (top * height) / pixelHeight };
}

export function desktopBox(displays: readonly PointerDisplay[]) {
  const x = Math.min(...displays.map((one) => one.x));
  const y = Math.min(...displays.map((one) => one.y));
  const width = Math.max(...displays.map((one) => one.x + one.width)) - x;
  const height = Math.max(...displays.map((one) => one.y + one.height)) - y;
  return { x, y, width, height };
}
