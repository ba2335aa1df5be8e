import { type FoundSession, findForUse, whyNoDesktop } from '../../../host/linux/desktop/desktop-session.ts';
import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import { checkMutter } from '../../../host/linux/input/remote-desktop.mutter.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { PointerMover } from './pointer.mover.ts';
import { checkPortalPointer, openMutterPointer, openPortalPointer } from './pointer.remote.ts';
import { openPointerDesk, type PointerDesk } from './pointer.session.ts';
import { moverOnUinput } from './pointer.uinput.ts';
import { openVirtualPointerMover, virtualPointers } from './pointer.wayland.ts';
import { openXtestPointer } from './pointer.xtest.ts';

export type PointerHost = Pick<
  LinuxHost,
  'clock' | 'connectLocal' | 'dbus' | 'environment' | 'files' | 'paths' | 'session' | 'storage'
>;

/** There is no pointer that could be moved. */
export class NoPointer extends Error {
  override readonly name = 'NoPointer';
}

const timeoutMs = 2000;

/** A way to move the pointer, and for which desktops it is. */
interface Way {
  name: string;
  fits(session: FoundSession): boolean;
  /** Throws with what is missing. */
  open(host: PointerHost, session: FoundSession): Promise<PointerMover>;
  /** Throws the same, and leaves no pointer, device or session behind, not even for a moment. */
  look(host: PointerHost, session: FoundSession): Promise<void>;
}

type OnDesk<T> = (desk: PointerDesk, host: PointerHost) => Promise<T>;

function overWayland(name: string, make: OnDesk<PointerMover>, look: OnDesk<void>): Way {
  const onDesk = async <T>(use: OnDesk<T>, host: PointerHost, { wayland }: FoundSession, keep: boolean) => {
    const desk = await openPointerDesk(host, wayland ?? '', timeoutMs);
    let isUsed = false;
    try {
      const made = await use(desk, host);
      isUsed = keep;
      return made;
    } finally {
      if (!isUsed) desk.close();
    }
  };
  return {
    name,
    fits: ({ wayland }) => wayland !== null,
    open: (host, session) => onDesk(make, host, session, true),
    look: (host, session) => onDesk(look, host, session, false),
  };
}

/** In the order in which they are tried. */
const ways: Way[] = [
  {
    // Under Wayland only old programs would see it move.
    name: 'XTEST',
    fits: ({ wayland, x11 }) => wayland === null && x11 !== null,
    async open(host, { x11 }) {
      if (x11 === null) throw new Error('there is no X server');
      const display = await openDisplay(host, x11, timeoutMs);
      return await openXtestPointer(display).catch((error: unknown) => {
        display.close();
        throw error;
      });
    },
    // A connection is all that this makes.
    async look(host, session) {
      await (await this.open(host, session)).close();
    },
  },
  overWayland(
    'virtual-pointer-v1',
    (desk, { clock }) => openVirtualPointerMover(desk, clock),
    async (desk) => void virtualPointers(desk),
  ),
  overWayland(
    "GNOME's remote desktop",
    (desk, { dbus }) => openMutterPointer(dbus.session, desk),
    (_desk, { dbus }) => checkMutter(dbus.session),
  ),
  overWayland(
    'portal',
    (desk, host) => openPortalPointer(host.dbus.session, host, desk),
    (_desk, { dbus }) => checkPortalPointer(dbus.session),
  ),
  overWayland(
    'uinput',
    async (desk, { clock }) => {
      // Needs the native interface.
      const { checkUinput, openUinputDevice } = await import('../../../host/linux/input/uinput.device.ts');
      checkUinput();
      return moverOnUinput(openUinputDevice, clock, desk);
    },
    async () => (await import('../../../host/linux/input/uinput.device.ts')).checkUinput(),
  ),
];

/** Rejects with NoPointer, which says what was tried. */
export const openPointer = (host: PointerHost): Promise<PointerMover> =>
  firstOf(host, (way, session) => way.open(host, session));

/** The same without a pointer: whoever asks this does not want one. */
export const lookForPointer = (host: PointerHost): Promise<void> =>
  firstOf(host, (way, session) => way.look(host, session));

async function firstOf<T>(host: PointerHost, use: (way: Way, session: FoundSession) => Promise<T>): Promise<T> {
  const session = await findForUse(host.session);
  const problems: string[] = [];
  for (const way of ways) {
    if (!way.fits(session)) continue;
    try {
      return await use(way, session);
    } catch (error) {
      problems.push(`${way.name}: ${messageOf(error)}`);
    }
  }
  if (session.wayland === null && session.x11 === null) {
    problems.unshift(whyNoDesktop(session, 'no desktop session of this user is running; log in to one'));
  }
  throw new NoPointer(problems.join('; '));
}
