import { messageOf } from '../../../lib/errors.ts';
import type { FoundSession } from '../desktop/desktop-session.ts';
import { openDisplay } from '../desktop/x11-display.ts';
import type { LinuxHost } from '../linux-host.ts';
import { openPointerDesk, type PointerDesk } from './pointer.desk.ts';
import { openMutterPointer, openPortalPointer } from './pointer.remote.ts';
import type { PointerMover } from './pointer.ts';
import { moverOnUinput } from './pointer.uinput.ts';
import { openVirtualPointerMover } from './pointer.wayland.ts';
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
}

function overWayland(name: string, make: (desk: PointerDesk, host: PointerHost) => Promise<PointerMover>): Way {
  return {
    name,
    fits: ({ wayland }) => wayland !== null,
    async open(host, { wayland }) {
      const desk = await openPointerDesk(host, wayland ?? '', timeoutMs);
      try {
        return await make(desk, host);
      } catch (error) {
        desk.close();
        throw error;
      }
    },
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
  },
  overWayland('virtual-pointer-v1', (desk, { clock }) => openVirtualPointerMover(desk, clock)),
  overWayland("GNOME's remote desktop", (desk, { dbus }) => openMutterPointer(dbus.session, desk)),
  overWayland('portal', (desk, host) => openPortalPointer(host.dbus.session, host, desk)),
  overWayland('uinput', async (desk, { clock }) => {
    // Needs the native interface.
    const { checkUinput, openUinputDevice } = await import('./uinput.device.ts');
    checkUinput();
    return moverOnUinput(openUinputDevice, clock, desk);
  }),
];

/** Rejects with NoPointer, which says what was tried. */
export async function openPointer(host: PointerHost): Promise<PointerMover> {
  const session = await host.session.find();
  const problems: string[] = [];
  for (const { name, fits, open } of ways) {
    if (!fits(session)) continue;
    try {
      return await open(host, session);
    } catch (error) {
      problems.push(`${name}: ${messageOf(error)}`);
    }
  }
  if (session.wayland === null && session.x11 === null) {
    problems.unshift('no desktop session of this user is running; log in to one');
  }
  throw new NoPointer(problems.join('; '));
}
