import type { Bus } from '@hostler/dbus/dbus.ts';
import { openWayland } from '@hostler/wayland/connection.ts';
import { readGlobals } from '@hostler/wayland/globals.ts';
import { followIdle } from '@hostler/wayland/idle.ts';
import { followToplevels } from '@hostler/wayland/toplevels.ts';
import { type BusValues, busValues } from '../../../host/linux/dbus/bus-properties.ts';
import { inherently, mendably } from '../../../host/linux/desktop/found-value.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { idleMonitor } from './idle-monitor.ts';
import {
  type DisplayFacts,
  type DisplayOptions,
  displayTimeoutMs,
  type SessionServer,
  toWindow,
  unlessWithheld,
} from './session.desktop.ts';

const noWindows = inherently(
  'This compositor does not show windows to other programs; those based on wlroots, such as sway, do',
);
const noDesktops = inherently(
  'This compositor does not report which workspace is active; on Wayland, only KWin (KDE) is supported',
);

export async function openWaylandSession(
  { connectLocal, clock, dbus }: LinuxHost,
  socket: string,
  { withheld, idleAfterMs, lasting }: DisplayOptions,
): Promise<SessionServer> {
  const wayland = await openWayland(connectLocal, clock, { socket, timeoutMs: displayTimeoutMs });
  const monitor = idleMonitor(dbus.session);
  const desktops = kwinDesktops(dbus.session);
  let notify = () => {};
  let stopMonitor = () => {};
  let stopDesktops = () => {};
  /** Since when the session is idle; undefined: unknown, read it. */
  let away: { since: number } | false | undefined;

  const passed = (how: 'idle' | 'used' | 'unknown') => {
    away = how === 'unknown' ? undefined : how === 'idle' ? { since: clock.now() - idleAfterMs } : false;
    notify();
  };

  return await closedOnFailure(wayland, async () => {
    const globals = await readGlobals(wayland);
    const windows = withheld ? null : followToplevels(wayland, globals, () => notify());
    const timer = lasting ? followIdle(wayland, globals, idleAfterMs, (idle) => passed(idle ? 'idle' : 'used')) : null;
    // The first round trip lists the windows, the second their properties.
    await wayland.sync();
    await wayland.sync();

    const idleNow = async (): Promise<DisplayFacts['idle']> => {
      // The compositor reports nothing while the session is in use.
      if (timer !== null) return { value: away ?? false };
      if (away !== undefined) return { value: away };
      const ms = await monitor.now();
      if (ms === null) return mendably('This compositor reports it only to programs that stay connected');
      away = ms >= idleAfterMs ? { since: clock.now() - ms } : false;
      return { value: away };
    };
    return {
      async read() {
        // A failing bus must not affect what the compositor reports.
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
        notify = changed;
        wayland.onClosed(gone);
        stopDesktops = desktops.watch(changed);
        if (timer === null) stopMonitor = monitor.mark(idleAfterMs, passed);
      },
      close() {
        notify = () => {};
        stopMonitor();
        stopDesktops();
        wayland.close();
      },
    };
  });
}

const shownOf = ({ title, app, fullscreen }: { title: string; app: string; fullscreen: boolean }) => ({
  title,
  app,
  fullscreen,
});

interface FrontDesktop {
  /** From 1. */
  number: number;
  name: string | null;
  count: number;
}

const manager = {
  destination: 'org.kde.KWin',
  path: '/VirtualDesktopManager',
  interface: 'org.kde.KWin.VirtualDesktopManager',
};
const mostDesktops = 1000;
const mostCharacters = 64;

/** The virtual desktops of KWin over D-Bus; Wayland has no common protocol for them. `read` returns null without KWin. */
function kwinDesktops(session: Bus): Pick<BusValues, 'watch'> & { read(): Promise<FrontDesktop | null> } {
  const { destination: sender, path, interface: name } = manager;
  const values = busValues(session, manager, {
    names: ['current', 'desktops'],
    // KWin has signals of its own for every change, and sends no PropertiesChanged.
    signals: [{ match: { sender, path, interface: name } }],
  });
  return {
    watch: values.watch,
    async read() {
      const found = await values.read();
      return found === null ? null : parseDesktops(found.get('desktops'), found.get('current'));
    },
  };
}

/** Each entry has a position, an id and a name. */
export function parseDesktops(desktops: unknown, current: unknown): FrontDesktop | null {
  const known = (Array.isArray(desktops) ? desktops.slice(0, mostDesktops) : [])
    .flatMap((entry: unknown) => {
      const [place, id, name] = Array.isArray(entry) ? entry : [];
      return typeof place === 'number' && typeof id === 'string' ? [{ place, id, name }] : [];
    })
    .sort((a, b) => a.place - b.place);
  const index = known.findIndex(({ id }) => id === current);
  if (index < 0) return null;
  const name = known[index]?.name;
  return {
    number: index + 1,
    name: typeof name === 'string' && name !== '' ? shownText(name, mostCharacters) : null,
    count: known.length,
  };
}
