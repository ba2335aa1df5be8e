import type { FoundSession } from '../../../host/linux/desktop/desktop-session.ts';
import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import { firstBackend } from '../../../host/linux/input/first-backend.ts';
import { checkMutter } from '../../../host/linux/input/remote-desktop.mutter.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import type { PointerMover } from './pointer.mover.ts';
import { checkPortalPointer, openMutterPointer, openPortalPointer } from './pointer.remote.ts';
import { openPointerDesktop, type PointerDesktop } from './pointer.session.ts';
import { moverOnUinput } from './pointer.uinput.ts';
import { openVirtualPointerMover, virtualPointers } from './pointer.wayland.ts';
import { openXtestPointer } from './pointer.xtest.ts';

export type PointerHost = Pick<
  LinuxHost,
  'clock' | 'connectLocal' | 'dbus' | 'environment' | 'files' | 'paths' | 'session' | 'storage'
>;

export class NoPointer extends Error {
  override readonly name = 'NoPointer';
}

const timeoutMs = 2000;

/** A backend, and the desktops it is for. */
interface Way {
  name: string;
  fits(session: FoundSession): boolean;
  /** Throws with the missing part. */
  open(host: PointerHost, session: FoundSession): Promise<PointerMover>;
  /** The same check; leaves no pointer, device or session behind. */
  check(host: PointerHost, session: FoundSession): Promise<void>;
}

type OnDesktop<T> = (desktop: PointerDesktop, host: PointerHost) => Promise<T>;

function overWayland(name: string, make: OnDesktop<PointerMover>, check: OnDesktop<void>): Way {
  const onDesktop = async <T>(use: OnDesktop<T>, host: PointerHost, { wayland }: FoundSession, keep: boolean) => {
    const desktop = await openPointerDesktop(host, wayland ?? '', timeoutMs);
    let isUsed = false;
    try {
      const made = await use(desktop, host);
      isUsed = keep;
      return made;
    } finally {
      if (!isUsed) desktop.close();
    }
  };
  return {
    name,
    fits: ({ wayland }) => wayland !== null,
    open: (host, session) => onDesktop(make, host, session, true),
    check: (host, session) => onDesktop(check, host, session, false),
  };
}

/** In order of preference. */
const ways: Way[] = [
  {
    // Under Wayland only X11 programs would see it move.
    name: 'XTEST',
    fits: ({ wayland, x11 }) => wayland === null && x11 !== null,
    async open(host, { x11 }) {
      if (x11 === null) throw new Error('there is no X server');
      const display = await openDisplay(host, x11, timeoutMs);
      return await closedOnFailure(display, openXtestPointer);
    },
    // Only connects.
    async check(host, session) {
      await (await this.open(host, session)).close();
    },
  },
  overWayland(
    'virtual-pointer-v1',
    (desktop, { clock }) => openVirtualPointerMover(desktop, clock),
    async (desktop) => void virtualPointers(desktop),
  ),
  overWayland(
    "GNOME's remote desktop",
    (desktop, { dbus }) => openMutterPointer(dbus.session, desktop),
    (_desk, { dbus }) => checkMutter(dbus.session),
  ),
  overWayland(
    'portal',
    (desktop, host) => openPortalPointer(host.dbus.session, host, desktop),
    (_desk, { dbus }) => checkPortalPointer(dbus.session),
  ),
  overWayland(
    'uinput',
    async (desktop, { clock }) => {
      // Loads FFI.
      const { checkUinput, openUinputDevice } = await import('../../../host/linux/input/uinput.device.ts');
      checkUinput();
      return moverOnUinput(openUinputDevice, clock, desktop);
    },
    async () => (await import('../../../host/linux/input/uinput.device.ts')).checkUinput(),
  ),
];

/** Rejects with NoPointer, which lists the backends tried. */
export const openPointer = (host: PointerHost): Promise<PointerMover> =>
  firstOf(host, (way, session) => way.open(host, session));

/** The same as an availability check, without creating a pointer. */
export const checkPointer = (host: PointerHost): Promise<void> =>
  firstOf(host, (way, session) => way.check(host, session));

const firstOf = <T>(host: PointerHost, use: (way: Way, session: FoundSession) => Promise<T>): Promise<T> =>
  firstBackend(host.session, ways, use, (problems) => new NoPointer(problems));
