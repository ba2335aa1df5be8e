import { openDpms } from '@hostler/x11/dpms.ts';
import { openRandr, type RandrMonitor } from '@hostler/x11/randr.ts';
import type { X11Place } from '../../../host/linux/desktop/desktop-session.ts';
import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import type { Displays } from '../displays.schema.ts';
import { unreported } from '../displays.unreported.ts';
import { type DisplayServer, gatherMs, round, serverTimeoutMs } from './displays.server.ts';
import { parseEdid } from './edid.ts';

export async function openX11Server(host: LinuxHost, place: X11Place): Promise<DisplayServer> {
  const x11 = await openDisplay(host, place, serverTimeoutMs);
  const [randr, dpms] = await closedOnFailure(x11, async () => {
    const [found, power] = await Promise.all([openRandr(x11), openDpms(x11)]);
    if (found === null) throw new Error(`the X server ${place.display} lacks RandR 1.3, which lists its displays`);
    return [found, power] as const;
  });
  let cancel = () => {};
  return {
    async read() {
      const [monitors, power] = await Promise.all([randr.monitors(), dpms?.power() ?? null]);
      return monitors.map((monitor) => ({ ...x11Display(monitor), power }));
    },
    follow(changed, gone) {
      x11.onClosed(gone);
      randr.follow(() => {
        cancel();
        cancel = host.clock.after(gatherMs, changed);
      }, dpms?.isChange);
      dpms?.follow();
    },
    close() {
      cancel();
      x11.close();
    },
  };
}

export function x11Display({ edid, mode, ...monitor }: RandrMonitor): Displays[number] {
  const known = edid === null ? null : parseEdid(edid);
  return {
    id: monitor.name,
    name: known?.name ?? monitor.name,
    resolution_horizontal: monitor.width,
    resolution_vertical: monitor.height,
    x: monitor.x,
    y: monitor.y,
    width: monitor.mmWidth || null,
    height: monitor.mmHeight || null,
    is_primary: monitor.isPrimary,
    // Servers without a real screen have modes without a clock.
    pixel_clock: mode === null || mode.dotClock === 0 ? null : round(mode.dotClock / 1_000_000),
    refresh_rate: mode === null || mode.refresh === 0 ? null : round(mode.refresh),
    ...unreported,
  };
}
