import type { Host } from '../../host/host.ts';
import type { FoundSession } from '../../host/linux/desktop-session.ts';
import type { Displays } from './displays.schema.ts';

/** A connection to whoever shows the desktop. */
export interface DisplayServer {
  read(): Promise<Displays>;
  /** Calls back on changes, and when the server is gone. */
  follow(changed: () => void, gone: () => void): void;
  close(): void;
}

/** null: no session that shows anything. An X server beside Wayland only serves old programs, so Wayland comes first. */
export async function openServer(host: Host, { wayland, x11 }: FoundSession): Promise<DisplayServer | null> {
  if (wayland !== null) return (await import('./displays.wayland.ts')).openWaylandServer(host, wayland);
  if (x11 !== null) return (await import('./displays.x11.ts')).openX11Server(host, x11);
  return null;
}

/** A server that does not answer for so long is given up, ms. */
export const patienceMs = 1200;

export const round = (value: number, digits: number) => Math.round(value * 10 ** digits) / 10 ** digits;

/** Changes come in groups of events; one look is enough for all, ms. */
export const gatherMs = 20;
