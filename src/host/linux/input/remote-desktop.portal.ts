import path from 'node:path';
import { type Bus, variant } from '../../../protocols/dbus/dbus.ts';
import type { Paths } from '../../paths.ts';
import type { Storage } from '../../storage.ts';
import { askPortal, portal, portalProperty } from '../desktop/portal.ts';
import type { RemoteDesktop } from './remote-desktop.ts';

const part = 'RemoteDesktop';
const device = `org.freedesktop.portal.${part}`;
const keyboards = 1;
/** The user is asked once, and may take it back in the settings of the desktop. */
const untilTakenBack = 2;
const timeoutMs = 2000;
const askTimeoutMs = 60_000;

export interface PortalHost {
  storage: Pick<Storage, 'read' | 'write' | 'remove'>;
  paths: Pick<Paths, 'state'>;
}

/** https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.RemoteDesktop.html: KDE and others. */
export async function openPortalDesktop(bus: Bus, { storage, paths }: PortalHost): Promise<RemoteDesktop> {
  const types = await portalProperty(bus, part, 'AvailableDeviceTypes', true);
  if (typeof types !== 'number' || (types & keyboards) === 0) {
    throw new Error('the desktop has no portal for remote control');
  }
  const file = path.join(paths.state, 'remote-desktop.token');
  let session: string | null = null;
  let ended = false;
  let unfollow = () => {};

  const ask = async (member: string, signature: string, body: unknown[]) => {
    const { outcome, results } = await askPortal(bus, { part, member, signature, body, timeoutMs: askTimeoutMs });
    if (outcome === 'done') return results;
    if (outcome === 'asking') throw new Error('the user did not answer within a minute whether keys may be pressed');
    throw new Error(outcome === 'cancelled' ? 'the user does not allow it' : `the portal refused ${member}`);
  };
  return {
    async start() {
      const token = `hostler${Math.floor(Math.random() * 1e9)}`;
      const created = await ask('CreateSession', 'a{sv}', [{ session_handle_token: token, handle_token: token }]);
      const handle = String(created.session_handle);
      session = handle;
      // Also keeps us on the bus, with which the session would end.
      unfollow = await bus.subscribe(
        { path: handle, interface: 'org.freedesktop.portal.Session', member: 'Closed' },
        () => {
          ended = true;
        },
      );
      const known = storage.read(file)?.trim();
      const options = { types: variant('u', keyboards), persist_mode: variant('u', untilTakenBack) };
      await ask('SelectDevices', 'oa{sv}', [handle, known ? { ...options, restore_token: known } : options]);
      const { restore_token: next } = await ask('Start', 'osa{sv}', [handle, '', {}]);
      // Each is good for one time, and brings the next.
      if (typeof next === 'string' && next !== '') storage.write(file, `${next}\n`);
      else storage.remove(file);
    },
    isOpen: () => !ended,
    async key(keysym, isDown) {
      const body = [session, {}, keysym, isDown ? 1 : 0];
      const call = { ...portal, interface: device, member: 'NotifyKeyboardKeysym', signature: 'oa{sv}iu', body };
      await bus.call({ ...call, timeoutMs });
    },
    async stop() {
      const closing = session;
      session = null;
      if (closing === null) return;
      const call = { destination: portal.destination, path: closing, interface: 'org.freedesktop.portal.Session' };
      await bus.call({ ...call, member: 'Close', timeoutMs }).catch(() => {});
      unfollow();
    },
  };
}
