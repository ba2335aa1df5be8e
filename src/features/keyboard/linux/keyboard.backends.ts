import type { FoundSession } from '../../../host/linux/desktop/desktop-session.ts';
import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import { firstBackend } from '../../../host/linux/input/first-backend.ts';
import { checkMutter, openMutterDesktop } from '../../../host/linux/input/remote-desktop.mutter.ts';
import { openPortalDesktop } from '../../../host/linux/input/remote-desktop.portal.ts';
import type { RemoteDesktop } from '../../../host/linux/input/remote-desktop.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { KeyPresser } from './keyboard.presser.ts';
import { presserOver } from './remote-desktop.presser.ts';
import { presserOnUinput } from './uinput.keyboard.ts';
import type { KeyJournal } from './xtest.journal.ts';
import { type Noted, openXtest } from './xtest.ts';

export type KeyboardHost = Pick<
  LinuxHost,
  'clock' | 'connectLocal' | 'dbus' | 'environment' | 'files' | 'paths' | 'scratch' | 'session' | 'storage'
>;

export class NoKeyboard extends Error {
  override readonly name = 'NoKeyboard';
}

const timeoutMs = 2000;
/** A desktop that just got a keyboard may be slow to send its layout, ms. */
const layoutTimeoutMs = 10_000;

/** A backend, and the desktops it is for. */
interface Way {
  name: string;
  fits(session: FoundSession): boolean;
  /** Throws with the missing part. */
  open(host: KeyboardHost, session: FoundSession, journal: KeyJournal): Promise<KeyPresser>;
  /** The same check without creating a keyboard or a session. */
  check?(host: KeyboardHost, session: FoundSession): Promise<void>;
}

/** In order of preference. */
const ways: Way[] = [
  {
    // Under Wayland only X11 programs would get these keys.
    name: 'XTEST',
    fits: ({ wayland, x11 }) => wayland === null && x11 !== null,
    async open(host, { x11 }, journal) {
      if (x11 === null) throw new Error('there is no X server');
      const noted = (entry: Noted) => journal.note({ server: x11.socket, ...entry });
      return await openXtest(await openDisplay(host, x11, timeoutMs), host.clock, {
        note: noted,
        clear: journal.clear,
      });
    },
  },
  {
    name: 'virtual-keyboard-v1',
    fits: ({ wayland }) => wayland !== null,
    async open(host, { wayland }) {
      // Loads FFI, which only this needs.
      const { openVirtualKeyboard } = await import('./virtual-keyboard.ts');
      return await openVirtualKeyboard(host, wayland ?? '', timeoutMs);
    },
    async check({ clock }, { wayland }) {
      const { checkVirtualKeyboard } = await import('./virtual-keyboard.ts');
      await checkVirtualKeyboard(clock, wayland ?? '', timeoutMs);
    },
  },
  {
    name: "GNOME's remote desktop",
    fits: ({ wayland }) => wayland !== null,
    open: async (host, session) => remote(host, session, await openMutterDesktop(host.dbus.session)),
    check: ({ dbus }) => checkMutter(dbus.session),
  },
  {
    name: 'portal',
    fits: ({ wayland }) => wayland !== null,
    open: async (host, session) => remote(host, session, await openPortalDesktop(host.dbus.session, host)),
  },
  {
    name: 'uinput',
    fits: ({ wayland }) => wayland !== null,
    async open({ clock }, session) {
      const { checkUinput, openUinputDevice } = await import('../../../host/linux/input/uinput.device.ts');
      checkUinput();
      return presserOnUinput((codes) => openUinputDevice('Hostler', { keys: codes }), clock, layoutOf(clock, session));
    },
  },
];

function remote({ clock }: KeyboardHost, session: FoundSession, desktop: RemoteDesktop): KeyPresser {
  return presserOver(desktop, clock, layoutOf(clock, session));
}

/** Loads FFI, too. */
const layoutOf =
  (clock: Clock, { wayland }: FoundSession) =>
  async () =>
    (await import('./wayland.keymap.ts')).readWaylandLayout(clock, wayland ?? '', layoutTimeoutMs);

/** For availability checks. */
const unnoted: KeyJournal = { note: () => {}, clear: () => {} };

/** Rejects with NoKeyboard, which lists the backends tried. */
export const openKeyboard = (host: KeyboardHost, journal: KeyJournal): Promise<KeyPresser> =>
  firstWay(host, (way, session) => way.open(host, session, journal));

/** The same as an availability check. */
export const checkKeyboard = (host: KeyboardHost): Promise<void> =>
  firstWay(host, async ({ check, open }, session) => {
    if (check !== undefined) return await check(host, session);
    await (await open(host, session, unnoted)).close();
  });

const firstWay = <T>(host: KeyboardHost, use: (way: Way, session: FoundSession) => Promise<T>): Promise<T> =>
  firstBackend(host.session, ways, use, (problems) => new NoKeyboard(problems));
