import type { Bus } from '@hostler/dbus/dbus.ts';
import { busTimeoutMs, busValues, getProperties, getProperty } from '../../../host/linux/dbus/bus-properties.ts';
import type { Clock } from '../../../lib/clock.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { NetworkVpn } from '../networks.schema.ts';

export type ActiveVpns = ReturnType<typeof createActiveVpns>;

const manager = 'org.freedesktop.NetworkManager';
const root = { destination: manager, path: '/org/freedesktop/NetworkManager', interface: manager };
const connection = `${manager}.Connection.Active`;
const device = `${manager}.Device`;
const properties = 'org.freedesktop.DBus.Properties';
/** NM_ACTIVE_CONNECTION_STATE_ACTIVATED. https://networkmanager.dev/docs/api/latest/nm-dbus-types.html */
const activated = 2;
const mostConnections = 64;
const longestName = 100;
/** The kernel's limit is 15. */
const longestInterface = 64;
/** While changes are not followed. */
const apartMs = 5000;

/** The VPNs that NetworkManager has activated or is activating. Reads active connections only, never profiles: those hold addresses, user names and secrets. */
export function createActiveVpns(system: Bus, clock: Clock) {
  let vpns: readonly NetworkVpn[] = [];
  let readAt = Number.NEGATIVE_INFINITY;
  let reading: Promise<void> | null = null;
  let onChange: (() => void) | null = null;
  let isOutdated = false;
  const changes = { sender: manager, interface: properties, member: 'PropertiesChanged' };
  const values = busValues(system, root, {
    names: [],
    ask: async () => new Map([['vpns', await readActive(system)]]),
    signals: [
      {
        match: { ...changes, path: root.path, arg0: manager },
        isNews: ([, set]) => 'ActiveConnections' in Object(set),
      },
      { match: { ...changes, pathNamespace: `${root.path}/ActiveConnection`, arg0: connection }, isNews: isOfState },
    ],
  });

  const readVpns = async () => {
    isOutdated = false;
    const before = JSON.stringify(vpns);
    const found = await values.read().catch(() => null);
    // A NetworkManager that is missing or does not answer has no VPN.
    vpns = (found?.get('vpns') ?? []) as readonly NetworkVpn[];
    readAt = clock.monotonic();
    if (JSON.stringify(vpns) !== before) onChange?.();
  };

  const refresh = async (): Promise<void> => {
    if (reading !== null || (!isOutdated && clock.monotonic() - readAt < apartMs)) return reading ?? undefined;
    reading = readVpns().finally(() => {
      reading = null;
    });
    await reading;
  };

  return {
    /** The latest known list, at once. */
    known: () => vpns,
    /** Reads again, unless the list is fresh or cannot have changed. */
    refresh,
    watch(changed: () => void): () => void {
      onChange = changed;
      const stop = values.watch(() => {
        isOutdated = true;
        // A read in progress may have started before that.
        void (reading ?? Promise.resolve()).then(refresh);
      });
      return () => {
        onChange = null;
        stop();
      };
    },
  };
}

const isOfState = ([, set]: unknown[]) => 'State' in Object(set) || 'Devices' in Object(set);

async function readActive(system: Bus): Promise<NetworkVpn[]> {
  const paths = pathsIn(await getProperty(system, root, 'ActiveConnections', busTimeoutMs));
  const found = await Promise.all(
    paths.slice(0, mostConnections).map(async (path): Promise<NetworkVpn[]> => {
      // It may have ended since.
      const place = { ...root, path, interface: connection };
      const { Id, Type, State, Vpn, Devices } = await getProperties(system, place, busTimeoutMs).catch(() => nothing);
      const kind = Type === 'wireguard' ? 'wireguard' : Vpn === true || Type === 'vpn' ? 'other' : null;
      if (kind === null || typeof Id !== 'string') return [];
      // For others this is the underlying card.
      const [through] = kind === 'wireguard' ? pathsIn(Devices) : [];
      const card = { ...root, path: through ?? '', interface: device };
      const name =
        through === undefined ? null : await getProperty(system, card, 'Interface', busTimeoutMs).catch(() => null);
      return [
        {
          name: shownText(Id, longestName),
          kind,
          // null: none of its own, or not reported.
          interface: typeof name === 'string' ? shownText(name, longestInterface) : null,
          up: State === activated,
          source: 'networkmanager',
        },
      ];
    }),
  );
  return found.flat();
}

const nothing: Record<string, unknown> = {};

const pathsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string' && each.startsWith(root.path)) : [];
