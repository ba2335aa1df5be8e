import { ServiceError } from '../../lib/errors.ts';
import type { PointerMoveInput } from './pointer.schema.ts';

/** A display and the part of the virtual desktop that it shows, which is smaller than its pixels on a scaled display. */
export interface PlacedDisplay {
  /** As in the module displays. */
  id: string;
  x: number;
  y: number;
  width: number;
  height: number;
  pixelWidth: number;
  pixelHeight: number;
}

export interface WantedPlace {
  x: number;
  y: number;
  /** null: x and y are those of the virtual desktop. */
  display: string | null;
}

/** The requested position; null: none. */
export const wantedPlace = ({ x, y, display }: Pick<PointerMoveInput, 'x' | 'y' | 'display'>): WantedPlace | null =>
  typeof x === 'number' && typeof y === 'number' ? { x, y, display: display ?? null } : null;

export interface PointerTarget {
  display: PlacedDisplay;
  x: number;
  y: number;
}

/** Refuses a position that no display shows. */
export function pointerTarget(
  action: string,
  displays: readonly PlacedDisplay[],
  { x, y, display: id }: WantedPlace,
): PointerTarget {
  if (displays.length === 0) throw new ServiceError('not_found', 'There is no display');
  if (id === null) return inVirtualDesktop(action, displays, x, y);
  const display = displays.find((one) => one.id === id);
  if (display === undefined) {
    const ids = displays.map((one) => one.id).join(', ');
    throw new ServiceError('not_found', `There is no display ${JSON.stringify(id)}; connected: ${ids}`);
  }
  const { pixelWidth, pixelHeight } = display;
  if (x >= 0 && y >= 0 && x < pixelWidth && y < pixelHeight) return { display, x, y };
  throw new ServiceError(
    'invalid',
    `${action}: ${x}, ${y} is not on ${id}, which has ${pixelWidth} × ${pixelHeight} pixels, counted from 0`,
  );
}

function inVirtualDesktop(action: string, displays: readonly PlacedDisplay[], x: number, y: number): PointerTarget {
  const display = displays.find((one) => x >= one.x && y >= one.y && x < one.x + one.width && y < one.y + one.height);
  if (display !== undefined) {
    return {
      display,
      x: ((x - display.x) * display.pixelWidth) / display.width,
      y: ((y - display.y) * display.pixelHeight) / display.height,
    };
  }
  const parts = displays.map((one) => `${one.id} (${one.x}, ${one.y} to ${one.x + one.width}, ${one.y + one.height})`);
  throw new ServiceError('invalid', `${action}: no display shows ${x}, ${y}; displays: ${parts.join(', ')}`);
}
