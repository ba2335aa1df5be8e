import type { Wayland, WaylandEvent } from './connection.ts';
import type { WaylandGlobals } from './globals.ts';

export interface WaylandToplevels {
  /** The active window; null: none. */
  active(): WaylandToplevel | null;
}

export interface WaylandToplevel {
  title: string;
  app: string;
  active: boolean;
  fullscreen: boolean;
}

const [titleEvent, appEvent, , , stateEvent, doneEvent, closedEvent] = [0, 1, 2, 3, 4, 5, 6];
const destroy = 7;
const [activated, fullscreen] = [2, 3];
const mostWindows = 4096;

/** https://wayland.app/protocols/wlr-foreign-toplevel-management-unstable-v1; null: the compositor does not have it. */
export function followToplevels(
  wayland: Wayland,
  globals: WaylandGlobals,
  changed: () => void,
): WaylandToplevels | null {
  const windows = new Map<number, WaylandToplevel>();
  let adopted = 0;
  const adopt = (id: number) => {
    if (adopted >= mostWindows) return wayland.request(id, destroy);
    adopted += 1;
    const next: WaylandToplevel = { title: '', app: '', active: false, fullscreen: false };
    wayland.adopt(id, (opcode, event) => {
      if (opcode === closedEvent) {
        windows.delete(id);
        adopted -= 1;
        wayland.request(id, destroy);
        wayland.forget(id);
        changed();
      } else if (opcode === doneEvent) {
        windows.set(id, { ...next });
        changed();
      } else receive(next, opcode, event);
    });
  };
  const manager = globals.bind('zwlr_foreign_toplevel_manager_v1', 3, (opcode, event) => {
    if (opcode === 0) adopt(event.uint());
  });
  if (manager === null) return null;
  return { active: () => [...windows.values()].find(({ active }) => active) ?? null };
}

function receive(window: WaylandToplevel, opcode: number, event: WaylandEvent): void {
  if (opcode === titleEvent) window.title = event.text();
  if (opcode === appEvent) window.app = event.text();
  if (opcode !== stateEvent) return;
  const states = event.words();
  window.active = states.includes(activated);
  window.fullscreen = states.includes(fullscreen);
}
