import type { Wayland } from './connection.ts';
import type { WaylandGlobals } from './globals.ts';

/** Reports when keyboard and pointer have not been used for this long, and when they are used again. */
export interface WaylandIdle {
  /** Counted from the request: the compositor does not report earlier idle time. */
  isIdle(): boolean;
}

const getIdleNotification = 1;
const getIdleTimeout = 0;

/**
 * By https://wayland.app/protocols/ext-idle-notify-v1, or its forerunner https://wayland.app/protocols/kde-idle. null: the compositor has
 * neither.
 */
export function followIdle(
  wayland: Wayland,
  globals: WaylandGlobals,
  ms: number,
  changed: (idle: boolean) => void,
): WaylandIdle | null {
  let idle = false;
  const seat = globals.bind('wl_seat', 1);
  if (seat === null) return null;
  // Both have the same two events.
  const timer = () =>
    wayland.create((opcode) => {
      idle = opcode === 0;
      changed(idle);
    });
  const notifier = globals.bind('ext_idle_notifier_v1', 1);
  if (notifier !== null) wayland.request(notifier, getIdleNotification, timer(), ms, seat);
  const older = notifier === null ? globals.bind('org_kde_kwin_idle', 1) : null;
  if (older !== null) wayland.request(older, getIdleTimeout, timer(), seat, ms);
  return notifier === null && older === null ? null : { isIdle: () => idle };
}
