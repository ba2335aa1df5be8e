import { createBus } from '@hostler/dbus/bus.ts';
import type { Bus, OfferingBus } from '@hostler/dbus/dbus.ts';
import { createOffers, type OfferedObjects } from '@hostler/dbus/exported-objects.ts';
import { unaimedMs } from '../../../src/app/tray/linux/dbus-menu.ts';
import { connectVerified } from '../../../src/host/linux/verified-local.ts';

const limits = { most: 1_000_000, whileMs: 1000, now: () => performance.now(), flooded: () => {} };
const daemon = {
  destination: 'org.freedesktop.DBus',
  path: '/org/freedesktop/DBus',
  interface: 'org.freedesktop.DBus',
};

/** A stand-in on a bus: it has a name, and is controlled by the test. */
export async function standInAt(socket: string, name: string, objects: OfferedObjects): Promise<OfferingBus> {
  const bus = createBus(() => [{ socket, guid: null, peer: 'self' }], connectVerified, {
    offers: createOffers(objects, limits),
  });
  // With a subscription it stays.
  await bus.subscribe({ interface: 'a.b' }, () => {});
  await bus.call({ ...daemon, member: 'RequestName', signature: 'su', body: [name, 4] });
  return bus;
}

export const watcherName = 'org.kde.StatusNotifierWatcher';

/** The tray host (StatusNotifierWatcher), as far as we use it. `items` are the registered names; `answers` false: it never answers. */
export async function startWatcher(socket: string, { answers = true } = {}) {
  const items: string[] = [];
  const bus = await standInAt(socket, watcherName, {
    '/StatusNotifierWatcher': {
      [watcherName]: {
        methods: {
          RegisterStatusNotifierItem: {
            takes: 's',
            gives: '',
            run([name]) {
              items.push(String(name));
              return answers ? [] : new Promise<unknown[]>(() => {});
            },
          },
        },
      },
    },
  });
  return { items, close: () => bus.close() };
}

/** A notification daemon with buttons. */
export async function startNotifications(socket: string) {
  const shown: { id: number; title: string; actions: string[] }[] = [];
  const closed: number[] = [];
  const path = '/org/freedesktop/Notifications';
  const name = 'org.freedesktop.Notifications';
  const bus = await standInAt(socket, name, {
    [path]: {
      [name]: {
        methods: {
          GetCapabilities: { takes: '', gives: 'as', run: () => [['actions', 'body']] },
          Notify: {
            takes: 'susssasa{sv}i',
            gives: 'u',
            run([, , , title, , actions]) {
              const id = shown.length + 1;
              shown.push({ id, title: String(title), actions: (actions as unknown[]).map(String) });
              return [id];
            },
          },
          CloseNotification: {
            takes: 'u',
            gives: '',
            run([id]) {
              closed.push(Number(id));
              return [];
            },
          },
        },
      },
    },
  });
  return { shown, closed, close: () => bus.close() };
}

interface MenuEntry {
  number: number;
  label: string;
  enabled: boolean;
}

/** The icon of a service, as a panel accesses it. */
export function panelOf(bus: Bus, owner: () => string) {
  const at = (path: string, iface: string, member: string, signature = '', body: unknown[] = []) =>
    bus.call({ destination: owner(), path, interface: iface, member, signature, body, timeoutMs: 30_000 });
  const menu = (member: string, signature = '', body: unknown[] = []) =>
    at('/MenuBar', 'com.canonical.dbusmenu', member, signature, body);
  const entries = async (): Promise<MenuEntry[]> => {
    const [, layout] = await menu('GetLayout', 'iias', [0, -1, []]);
    const [, , children] = layout as [number, object, [number, Record<string, unknown>, unknown[]][]];
    return children.map(([number, { label = '-', enabled = true }]) => ({
      number,
      label: String(label),
      enabled: enabled === true,
    }));
  };
  const find = async (start: string) => (await entries()).find(({ label }) => label.startsWith(start));
  return {
    property: async (name: string) =>
      (
        await at('/StatusNotifierItem', 'org.freedesktop.DBus.Properties', 'Get', 'ss', [
          'org.kde.StatusNotifierItem',
          name,
        ])
      )[0],
    activate: () => at('/StatusNotifierItem', 'org.kde.StatusNotifierItem', 'Activate', 'ii', [0, 0]),
    /** As a panel that opens the menu does: it calls AboutToShow, then fetches the layout. */
    async open() {
      const [isNew] = await menu('AboutToShow', 'i', [0]);
      if (isNew === true) await new Promise((resolve) => setTimeout(resolve, unaimedMs + 200));
      return await entries();
    },
    close: () => menu('Event', 'isvu', [0, 'closed', '', 0]),
    entries,
    find,
    press: (number: number) => menu('Event', 'isvu', [number, 'clicked', '', 0]),
    menu,
  };
}
