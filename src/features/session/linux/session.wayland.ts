import { openWayland } from '@hostler/wayland/connection.ts';
import { readGlobals } from '@hostler/wayland/globals.ts';
import { followIdle } from '@hostler/wayland/idle.ts';
import { followToplevels } from '@hostler/wayland/toplevels.ts';
import { inherently, mendably } from '../../../host/linux/desktop/found-value.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { idleMonitor } from './idle-monitor.ts';
import { kwinDesktops } from './kwin-desktops.ts';
import {
  type DeskFacts,
  type DeskOptions,
  type DeskServer,
  deskTimeoutMs,
  toWindow,
  unlessWithheld,
} from './session.desktop.ts';

const noWindows = inherently(
  'This compositor does not show windows to other programs; those based on wlroots, such as sway, do',
);
const noDesktops = inherently(
  'This compositor does not say which workspace is in front; of those for Wayland, only KWin (KDE) is asked',
);

export async function openWaylandDesk(
  { connectLocal, clock, dbus }: LinuxHost,
  socket: string,
  { withheld, idleAfterMs, lasting }: DeskOptions,
): Promise<DeskServer> {
  const wayland = await openWayland(connectLocal, clock, { socket, timeoutMs: deskTimeoutMs });
  const monitor = idleMonitor(dbus.session);
  const desktops = kwinDesktops(dbus.session);
  let tell = () => {};
  let stopMonitor = () => {};
  let stopDesktops = () => {};
  /** Since when nobody is there; undefined: it has to be asked for. */
  let away: { since: number } | false | undefined;

  const passed = (how: 'idle' | 'used' | 'unknown') => {
    away = how === 'unknown' ? undefined : how === 'idle' ? { since: clock.now() - idleAfterMs } : false;
    tell();
  };

  try {
    const globals = await readGlobals(wayland);
    const windows = withheld ? null : followToplevels(wayland, globals, () => tell());
    const timer = lasting ? followIdle(wayland, globals, idleAfterMs, (idle) => passed(idle ? 'idle' : 'used')) : null;
    // Windows are told after they were asked for, and what they are after that.
    await wayland.sync();
    await wayland.sync();

    const idleNow = async (): Promise<DeskFacts['idle']> => {
      // It says nothing as long as somebody is there.
      if (timer !== null) return { value: away ?? false };
      if (away !== undefined) return { value: away };
      const ms = await monitor.now();
      if (ms === null) return mendably('This compositor tells it only to those who listen for a while');
      away = ms >= idleAfterMs ? { since: clock.now() - ms } : false;
      return { value: away };
    };
    return {
      async read() {
        // A bus that fails costs nothing else of what the compositor tells.
        const [idle, front] = await Promise.all([idleNow(), desktops.read().catch(() => null)]);
        const active = windows?.active() ?? null;
        const window = active === null ? null : toWindow({ ...shownOf(active), pid: null });
        return {
          idle,
          window: unlessWithheld(withheld, windows === null ? noWindows : { value: window }),
          desktop: front === null ? noDesktops : { value: front },
        };
      },
      follow(changed, gone) {
        tell = changed;
        wayland.onClosed(gone);
        stopDesktops = desktops.watch(changed);
        if (timer === null) stopMonitor = monitor.mark(idleAfterMs, passed);
      },
      close() {
        tell = () => {};
        stopMonitor();
        stopDesktops();
        wayland.close();
      },
    };
  } catch (error) {
    wayland.close();
    throw error;
  }
}

const shownOf = ({ title, app, fullscreen }: { title: string; app: string; fullscreen: boolean }) => ({
  title,
  app,
  fullscreen,
});
