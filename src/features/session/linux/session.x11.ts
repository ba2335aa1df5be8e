import { openIdle } from '@hostler/x11/idle.ts';
import { openWindows } from '@hostler/x11/window-list.ts';
import type { X11Place } from '../../../host/linux/desktop/desktop-session.ts';
import { inherently, mendably } from '../../../host/linux/desktop/found-value.ts';
import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import { shownText } from '../../../lib/printable-text.ts';
import {
  type DisplayFacts,
  type DisplayOptions,
  displayTimeoutMs,
  type SessionServer,
  toWindow,
  unlessWithheld,
} from './session.desktop.ts';

const noManager = mendably('No window manager reports it; use one that follows the EWMH specification');

export async function openX11Session(
  host: LinuxHost,
  place: X11Place,
  options: DisplayOptions,
): Promise<SessionServer> {
  const { clock } = host;
  const { idleAfterMs, withheld } = options;
  const x11 = await openDisplay(host, place, displayTimeoutMs);
  const [windows, idle] = await closedOnFailure(x11, () => Promise.all([openWindows(x11), openIdle(x11)]));
  /** Since when the session is idle; undefined: unknown, read it. */
  let away: { since: number } | false | undefined;
  let following = false;

  const idleNow = async (): Promise<DisplayFacts['idle']> => {
    if (idle === null) return inherently('This X server does not report the time of the last input');
    if (away !== undefined && following) return { value: away };
    const ms = await idle.now();
    const found = ms >= idleAfterMs ? { since: clock.now() - ms } : (false as const);
    // A change announced meanwhile is newer.
    away ??= found;
    return { value: following ? away : found };
  };

  return {
    async read() {
      const [away, window, desktop] = await Promise.all([
        idleNow(),
        withheld ? null : windows.active(),
        windows.desktop(),
      ]);
      return {
        idle: away,
        window: unlessWithheld(
          withheld,
          window === undefined ? noManager : { value: window === null ? null : toWindow(window) },
        ),
        desktop: desktop === undefined ? noManager : { value: toDesktop(desktop) },
      };
    },
    follow(changed, gone) {
      following = true;
      x11.onClosed(gone);
      x11.onEvent((event) => {
        const passed = idle?.direction(event) ?? null;
        if (passed !== null) away = passed === 'idle' ? { since: clock.now() - idleAfterMs } : false;
        const concerned = windows.concerns(event);
        if (passed !== null || concerned === 'desktop' || (concerned === 'window' && !withheld)) changed();
      });
      windows.follow();
      idle?.mark(idleAfterMs);
    },
    close: x11.close,
  };
}

const toDesktop = ({ index, name, count }: { index: number; name: string; count: number }) => ({
  number: index + 1,
  name: name === '' ? null : shownText(name, 64),
  count,
});
