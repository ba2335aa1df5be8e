import path from 'node:path';
import { type Bus, BusError, variant } from '@hostler/dbus/dbus.ts';
import { UserRefused } from '../../../lib/errors.ts';
import type { Paths } from '../../paths.ts';
import type { Storage } from '../../storage.ts';
import { askPortal, portal, portalProperty } from '../desktop/portal.ts';
import type { RemoteDesktop } from './remote-desktop.ts';

const part = 'RemoteDesktop';
const device = `org.freedesktop.portal.${part}`;
/** The desktop prompts the user once; the permission can be revoked in its settings. */
const untilTakenBack = 2;
const monitors = 1;
const timeoutMs = 2000;
const askTimeoutMs = 60_000;

export interface PortalHost {
  storage: Pick<Storage, 'read' | 'write' | 'remove'>;
  paths: Pick<Paths, 'state'>;
}

/** A kind of device, and the permission that the portal requests for it. */
export interface PortalDevice {
  /** As the portal counts them. */
  type: number;
  /** For the middle of a sentence: whether … */
  mayWhat: string;
  /** Name of the file with the granted permission. */
  file: string;
  /** Coordinates refer to the pictures of displays, so these are requested as well. The pictures are not read. */
  withDisplays: boolean;
}

const keyboard: PortalDevice = {
  type: 1,
  mayWhat: 'keys may be pressed',
  file: 'remote-desktop.token',
  withDisplays: false,
};

/** Throws where the portal does not support this device. */
export async function checkPortal(bus: Bus, wanted: Pick<PortalDevice, 'type'>): Promise<void> {
  const types = await portalProperty(bus, part, 'AvailableDeviceTypes', true);
  if (typeof types !== 'number' || (types & wanted.type) === 0) {
    throw new Error(
      'the desktop has no portal for remote control; install xdg-desktop-portal and the part of it for your desktop, such as xdg-desktop-portal-kde',
    );
  }
}

/** May prompt the user at the start. https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.RemoteDesktop.html */
export async function openPortalSession(bus: Bus, { storage, paths }: PortalHost, wanted: PortalDevice) {
  await checkPortal(bus, wanted);
  const file = path.join(paths.state, wanted.file);
  let session: string | null = null;
  let ended = false;
  let unfollow = () => {};
  let before: Promise<unknown> = Promise.resolve();

  const ask = async (member: string, signature: string, body: unknown[], of = part) => {
    const request = { part: of, member, signature, body, timeoutMs: askTimeoutMs, withdraw: true };
    const { outcome, results } = await askPortal(bus, request);
    if (outcome === 'done') return results;
    if (outcome === 'asking')
      throw new UserRefused(`the user did not answer within a minute whether ${wanted.mayWhat}`);
    if (outcome === 'cancelled') throw new UserRefused('the user does not allow it');
    throw new Error(`the portal refused ${member}`);
  };
  return {
    /** The displays whose pictures were allowed. Throws a sentence where the user refuses. */
    async start(): Promise<unknown> {
      before = Promise.resolve();
      const token = `hostler${Math.floor(Math.random() * 1e9)}`;
      const created = await ask('CreateSession', 'a{sv}', [{ session_handle_token: token, handle_token: token }]);
      const handle = String(created.session_handle);
      session = handle;
      // Also keeps the connection to the bus open, with which the session would end.
      unfollow = await bus.subscribe(
        { sender: portal.destination, path: handle, interface: 'org.freedesktop.portal.Session', member: 'Closed' },
        () => {
          ended = true;
        },
      );
      const known = storage.read(file)?.trim();
      const options = { types: variant('u', wanted.type), persist_mode: variant('u', untilTakenBack) };
      await ask('SelectDevices', 'oa{sv}', [handle, known ? { ...options, restore_token: known } : options]);
      if (wanted.withDisplays) {
        const sources = { types: variant('u', monitors), multiple: true };
        await ask('SelectSources', 'oa{sv}', [handle, sources], 'ScreenCast');
      }
      const { restore_token: next, streams, devices } = await ask('Start', 'osa{sv}', [handle, '', {}]);
      // A token is valid once, and each start returns the next.
      if (typeof next === 'string' && next !== '') storage.write(file, `${next}\n`);
      else storage.remove(file);
      // GNOME lets its user share a screen without input devices.
      if (typeof devices === 'number' && (devices & wanted.type) === 0)
        throw new UserRefused(`the user did not allow that ${wanted.mayWhat}: switch that on when the desktop asks`);
      return streams;
    },
    isOpen: () => !ended,
    /** Such as NotifyPointerButton, with the arguments after the session and its options. In the order of the calls. */
    notify(member: string, signature: string, values: unknown[]): Promise<unknown> {
      const body = [session, {}, ...values];
      const call = { ...portal, interface: device, member, signature: `oa{sv}${signature}`, body, timeoutMs };
      // The portal handles each call in its own thread: only awaited calls are in order.
      const sent = before.then(() => bus.call(call));
      // Calls behind one that is never answered wait no longer than its timeout.
      before = sent.catch((error) => {
        if (isUnanswered(error)) throw error;
      });
      before.catch(() => {});
      return sent;
    },
    async stop() {
      const closing = session;
      session = null;
      if (closing === null) return;
      await before.catch(() => {});
      const call = { destination: portal.destination, path: closing, interface: 'org.freedesktop.portal.Session' };
      await bus.call({ ...call, member: 'Close', timeoutMs }).catch(() => {});
      unfollow();
    },
  };
}

const isUnanswered = (error: unknown) => error instanceof BusError && error.errorName === 'Client.Timeout';

/** The interface for keys of KDE and others. */
export async function openPortalDesktop(bus: Bus, host: PortalHost): Promise<RemoteDesktop> {
  const session = await openPortalSession(bus, host, keyboard);
  return {
    start: async () => void (await session.start()),
    isOpen: session.isOpen,
    key: (keysym, isDown) => session.notify('NotifyKeyboardKeysym', 'iu', [keysym, isDown ? 1 : 0]),
    stop: session.stop,
  };
}
