import type { Clock } from '../../../lib/clock.ts';
import { readWaylandKeymap } from './wayland.keymap.ts';
import { type LayoutKeysyms, readLayout } from './xkbcommon.ts';

/** What the keyboard of a Wayland session can type. null: it could not be found out. */
export async function readWaylandLayout(
  clock: Clock,
  socket: string,
  timeoutMs: number,
): Promise<LayoutKeysyms | null> {
  try {
    const keymap = await readWaylandKeymap(clock, socket, timeoutMs);
    return keymap === null ? null : readLayout(keymap);
  } catch {
    return null;
  }
}
