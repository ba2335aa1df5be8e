import { openWayland } from '@hostler/wayland/connection.ts';
import { followOutputs, type WaylandOutput } from '@hostler/wayland/outputs.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import type { Displays } from '../displays.schema.ts';
import { unreported } from '../displays.unreported.ts';
import { type DisplayServer, gatherMs, round, serverTimeoutMs } from './displays.server.ts';
import { mutterPower, mutterPrimary, watchMutter } from './mutter.ts';

/** GNOME reports the primary display over D-Bus, KDE with a protocol of its own. */
export async function openWaylandServer(
  { connectLocal, clock, dbus }: LinuxHost,
  socket: string,
): Promise<DisplayServer> {
  const wayland = await openWayland(connectLocal, clock, { socket, timeoutMs: serverTimeoutMs });
  let notify = () => {};
  let cancel = () => {};
  let stopMutter: Promise<() => void> | null = null;
  const changed = () => {
    cancel();
    cancel = clock.after(gatherMs, () => notify());
  };
  const outputs = await closedOnFailure(wayland, () => followOutputs(wayland, changed));
  return {
    async read() {
      const [primary, power] = await Promise.all([
        outputs.primary() ?? mutterPrimary(dbus.session),
        outputs.hasPower() ? outputs.readPower().then(() => null) : mutterPower(dbus.session),
      ]);
      return outputs.list().map((output, index, all) => {
        const display = waylandDisplay(output, index, isPrimary(output, primary, all));
        return { ...display, power: display.power ?? power };
      });
    },
    follow(listener, gone) {
      notify = listener;
      wayland.onClosed(gone);
      stopMutter = watchMutter(dbus.session, changed);
    },
    close() {
      notify = () => {};
      cancel();
      void stopMutter?.then((stop) => stop());
      wayland.close();
    },
  };
}

function isPrimary({ name }: WaylandOutput, primary: string | null, all: WaylandOutput[]): boolean | null {
  if (primary !== null) return name === primary;
  return all.length === 1 ? true : null;
}

export function waylandDisplay(output: WaylandOutput, index: number, primary: boolean | null): Displays[number] {
  const { width, height, isTurned } = output;
  const id = output.name ?? `wayland-${index}`;
  return {
    id,
    name: nameOf(output) ?? id,
    resolution_horizontal: isTurned ? height : width,
    resolution_vertical: isTurned ? width : height,
    x: output.x,
    y: output.y,
    width: output.mmWidth > 0 ? output.mmWidth : null,
    height: output.mmHeight > 0 ? output.mmHeight : null,
    is_primary: primary,
    pixel_clock: null,
    refresh_rate: output.refresh > 0 ? round(output.refresh) : null,
    ...unreported,
    power: output.power,
  };
}

/** Compositors report an unknown name as "Unknown" or as a space. */
function nameOf({ make, model, description }: WaylandOutput): string | null {
  const parts = [make.trim(), model.trim()].filter((part) => part !== '' && !/^unknown$/i.test(part));
  return parts.join(' ') || description?.trim() || null;
}
