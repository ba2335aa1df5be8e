import type { FoundSession } from '../../../host/linux/desktop/desktop-session.ts';
import type { LinkedServer } from '../../../host/linux/desktop/server-link.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Displays } from '../displays.schema.ts';

export interface DisplayServer extends LinkedServer {
  read(): Promise<Displays>;
}

/** null: no graphical session. An X server beside Wayland serves X11 programs only, so it is the second choice. */
export async function openServer(host: LinuxHost, { wayland, x11 }: FoundSession): Promise<DisplayServer | null> {
  const openX11 = async () => (x11 === null ? null : (await import('./displays.x11.ts')).openX11Server(host, x11));
  if (wayland === null) return await openX11();
  try {
    return await (await import('./displays.wayland.ts')).openWaylandServer(host, wayland);
  } catch (error) {
    if (x11 === null) throw error;
    return await openX11();
  }
}

/** After this time without an answer the connection fails, ms. */
export const serverTimeoutMs = 1200;

/** Three digits behind the point. */
export const round = (value: number) => Math.round(value * 1000) / 1000;

/** Changes come in groups of events that are reported together, ms. */
export const gatherMs = 20;
