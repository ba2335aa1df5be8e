import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import { getProperty, namedPlace } from '../dbus/bus-properties.ts';
import type { RemoteDesktop } from './remote-desktop.ts';

const manager = namedPlace('org.gnome.Mutter.RemoteDesktop');
const caster = namedPlace('org.gnome.Mutter.ScreenCast');
const timeoutMs = 2000;

/** GNOME's interface for remote control. The session ends with our connection to the bus, also after a crash. */
export type MutterSession = Awaited<ReturnType<typeof createMutterSession>>;

/** Throws without GNOME. No session is started. */
export async function checkMutter(bus: Bus): Promise<void> {
  await getProperty(bus, manager, 'Version', timeoutMs);
}

export async function createMutterSession(bus: Bus) {
  const [created] = await bus.call({ ...manager, member: 'CreateSession', timeoutMs });
  const session = {
    destination: manager.destination,
    path: String(created),
    interface: `${manager.interface}.Session`,
  };
  let ended = false;
  const { destination: sender, path, interface: name } = session;
  const unfollow = await bus.subscribe({ sender, path, interface: name, member: 'Closed' }, () => {
    ended = true;
  });
  return {
    async start() {
      await bus.call({ ...session, member: 'Start', timeoutMs });
    },
    /** false: the desktop has ended it. */
    isOpen: () => !ended,
    /** Such as NotifyKeyboardKeysym. In the order of the calls. */
    notify: (member: string, signature: string, body: unknown[]) =>
      bus.call({ ...session, member, signature, body, timeoutMs }),
    /** Before the start: names, by their connectors, displays whose pixels are used as coordinates. Their pictures are not read. */
    async nameDisplays(connectors: readonly string[]): Promise<Map<string, string>> {
      const id = await getProperty(bus, session, 'SessionId', timeoutMs);
      const options = { 'remote-desktop-session-id': variant('s', String(id)) };
      const create = { ...caster, member: 'CreateSession', signature: 'a{sv}', body: [options], timeoutMs };
      const [cast] = await bus.call(create);
      const streams = { destination: caster.destination, path: String(cast), interface: `${caster.interface}.Session` };
      const named = new Map<string, string>();
      for (const connector of connectors) {
        const record = { ...streams, member: 'RecordMonitor', signature: 'sa{sv}', body: [connector, {}] };
        const [stream] = await bus.call({ ...record, timeoutMs });
        named.set(connector, String(stream));
      }
      return named;
    },
    async stop() {
      // A session that was never started reports an error when it is stopped, but is removed.
      await bus.call({ ...session, member: 'Stop', timeoutMs }).catch(() => {});
      unfollow();
    },
  };
}

/** GNOME's own interface for keys. */
export async function openMutterDesktop(bus: Bus): Promise<RemoteDesktop> {
  const { notify, nameDisplays: _unused, ...session } = await createMutterSession(bus);
  return { ...session, key: (keysym, isDown) => notify('NotifyKeyboardKeysym', 'ub', [keysym, isDown]) };
}
