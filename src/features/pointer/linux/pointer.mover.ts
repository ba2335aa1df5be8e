/** A way to move the pointer of this desktop. In the order of the calls. */
export interface PointerMover {
  /** What is shown now, and where. */
  displays(): Promise<PointerDisplay[]>;
  /** In pixels of that display, which is one of those that were just listed. */
  moveTo(display: PointerDisplay, x: number, y: number): Promise<void>;
  moveBy(dx: number, dy: number): Promise<void>;
  button(button: PointerButton, isDown: boolean): Promise<void>;
  /** In steps of the wheel, to the right and down. */
  scroll(dx: number, dy: number): Promise<void>;
  /** Resolves when the desktop has taken all of it. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

/** By the same name as in the module displays. */
export interface PointerDisplay {
  id: string;
  /** Its part of the virtual desktop, in which a display that is enlarged counts less than its pixels. */
  x: number;
  y: number;
  width: number;
  height: number;
  pixelWidth: number;
  pixelHeight: number;
}

export type PointerButton = 'left' | 'middle' | 'right';

/** This way cannot do it, as opposed to one that fails. The sentence says what would help. */
export class LackingPointer extends Error {
  override readonly name = 'LackingPointer';
}

/** Of the Linux kernel, which Wayland and portals use as well. */
export const buttonCodes: Record<PointerButton, number> = { left: 0x110, middle: 0x112, right: 0x111 };

/** Where a pixel of a display is in the virtual desktop. */
export function inDesktop({ x, y, width, height, pixelWidth, pixelHeight }: PointerDisplay, left: number, top: number) {
  return { x: x + (left * width) / pixelWidth, y: y + (top * height) / pixelHeight };
}

/** The smallest part of the plane that has all displays in it. */
export function desktopBox(displays: readonly PointerDisplay[]) {
  const x = Math.min(...displays.map((one) => one.x));
  const y = Math.min(...displays.map((one) => one.y));
  const width = Math.max(...displays.map((one) => one.x + one.width)) - x;
  const height = Math.max(...displays.map((one) => one.y + one.height)) - y;
  return { x, y, width, height };
}
