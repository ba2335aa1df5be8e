import type { Bus } from '../../../protocols/dbus/dbus.ts';
import type { RemoteDesktop } from './remote-desktop.ts';

const manager = {
  destination: 'org.gnome.Mutter.RemoteDesktop',
  path: '/org/gnome/Mutter/RemoteDesktop',
  interface: 'org.gnome.Mutter.RemoteDesktop',
};
const timeoutMs = 2000;

/** GNOME's own way. It ends with our connection to the bus, whatever happens to us. */
export async function openMutterDesktop(bus: Bus): Promise<RemoteDesktop> {
  const [created] = await bus.call({ ...manager, member: 'CreateSession', timeoutMs });
  const session = {
    destination: manager.destination,
    path: String(created),
    interface: `${manager.interface}.Session`,
  };
  let ended = false;
  const unfollow = await bus.subscribe({ path: session.path, interface: session.interface, member: 'Closed' }, () => {
    ended = true;
  });
  return {
    async start() {
      await bus.call({ ...session, member: 'Start', timeoutMs });
    },
    isOpen: () => !ended,
    async key(keysym, isDown) {
      const call = { ...session, member: 'NotifyKeyboardKeysym', signature: 'ub', body: [keysym, isDown] };
      await bus.call({ ...call, timeoutMs });
    },
    async stop() {
      // One that was never started ends with a complaint, and goes away all the same.
      await bus.call({ ...session, member: 'Stop', timeoutMs }).catch(() => {});
      unfollow();
    },
  };
}
