/** An area of the desktop, in pixels; displays left of or above the primary one have negative coordinates. */
export interface ScreenArea {
  x: number;
  y: number;
  width: number;
  height: number;
}

export interface Gdi {
  screen(): bigint;
  releaseScreen(context: bigint): void;
  contextLike(context: bigint): bigint;
  deleteContext(context: bigint): void;
  /** 32 bits per pixel, the top row first; with the address of its pixels. */
  bitmap(width: number, height: number): { handle: bigint; pixels: number };
  deleteBitmap(bitmap: bigint): void;
  /** Selects the object to draw into; returns the previous one. */
  select(context: bigint, object: bigint): bigint;
  draw(context: bigint, from: bigint, area: ScreenArea, how: number): boolean;
  finish(): void;
  memory(place: number, bytes: number): Uint8Array;
}

/** SRCCOPY with CAPTUREBLT: includes layered windows. */
const asSeen = 0x00cc0020 | 0x40000000;

/** Copies the visible content of an area. Releases all GDI objects on failure too: a process may have 10,000 of them. */
export function createScreenCopy(gdi: Gdi): (area: ScreenArea) => SharedArrayBuffer {
  const given = <T extends bigint>(handle: T, what: string): T => {
    if (handle === 0n) throw new Error(`Windows provides no ${what} for a picture`);
    return handle;
  };
  const drawn = (screen: bigint, area: ScreenArea): SharedArrayBuffer => {
    const { width, height } = area;
    const context = given(gdi.contextLike(screen), 'context');
    try {
      const { handle, pixels } = gdi.bitmap(width, height);
      given(handle, 'memory');
      try {
        const before = given(gdi.select(context, handle), 'place');
        try {
          if (!gdi.draw(context, screen, area, asSeen))
            throw new Error('Windows does not allow the screen to be copied now');
          gdi.finish();
          const bytes = width * height * 4;
          const copied = new SharedArrayBuffer(bytes);
          new Uint8Array(copied).set(gdi.memory(pixels, bytes));
          return copied;
        } finally {
          // A selected bitmap cannot be deleted.
          gdi.select(context, before);
        }
      } finally {
        gdi.deleteBitmap(handle);
      }
    } finally {
      gdi.deleteContext(context);
    }
  };
  return (area) => {
    const screen = given(gdi.screen(), 'screen');
    try {
      return drawn(screen, area);
    } finally {
      gdi.releaseScreen(screen);
    }
  };
}

/** null: they do not overlap. */
export function commonArea(one: ScreenArea, other: ScreenArea): ScreenArea | null {
  const [x, y] = [Math.max(one.x, other.x), Math.max(one.y, other.y)];
  const width = Math.min(one.x + one.width, other.x + other.width) - x;
  const height = Math.min(one.y + one.height, other.y + other.height) - y;
  return width > 0 && height > 0 ? { x, y, width, height } : null;
}
