import type { Bus } from '@hostler/dbus/dbus.ts';
import { busTimeoutMs, busValues } from '../../../host/linux/dbus/bus-properties.ts';
import type { Clock } from '../../../lib/clock.ts';

/** A VPN that NetworkManager has up, or is bringing up. */
export interface ActiveVpn {
  /** What its owner calls it. */
  name: string;
  kind: 'wireguard' | 'vpn';
  /** null: it has none of its own, or does not say. */
  interface: string | null;
  up: boolean;
}

export interface ActiveVpns {
  /** What was known a moment ago, at once. */
  known(): readonly ActiveVpn[];
  /** Looks again, unless that was a moment ago or nothing can have changed. */
  refresh(): Promise<void>;
  watch(changed: () => void): () => void;
}

const manager = 'org.freedesktop.NetworkManager';
const root = { destination: manager, path: '/org/freedesktop/NetworkManager', interface: manager };
const connection = `${manager}.Connection.Active`;
const device = `${manager}.Device`;
const properties = 'org.freedesktop.DBus.Properties';
/** NM_ACTIVE_CONNECTION_STATE_ACTIVATED. https://networkmanager.dev/docs/api/latest/nm-dbus-types.html */
const activated = 2;
const mostConnections = 64;
/** While nobody follows them. */
const apartMs = 5000;

/** Only what is active is asked for, never a profile: those hold addresses, names of users and secrets. */
export function createActiveVpns(system: Bus, clock: Clock): ActiveVpns {
  let vpns: readonly ActiveVpn[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  let looking: Promise<void> | null = null;
  let told: (() => void) | null = null;
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

  const look = async () => {
    isOutdated = false;
    const before = JSON.stringify(vpns);
    const found = await values.read().catch(() => null);
    // What is not there, or does not answer, has no VPN up.
    vpns = (found?.get('vpns') ?? []) as readonly ActiveVpn[];
    lookedAt = clock.monotonic();
    if (JSON.stringify(vpns) !== before) told?.();
  };

  const refresh = async (): Promise<void> => {
    if (looking !== null || (!isOutdated && clock.monotonic() - lookedAt < apartMs)) return looking ?? undefined;
    looking = look().finally(() => {
      looking = null;
    });
    await looking;
  };

  return {
    known: () => vpns,
    refresh,
    watch(changed) {
      told = changed;
      const stop = values.watch(() => {
        isOutdated = true;
        // One that is under way may have been asked before that.
        void (looking ?? Promise.resolve()).then(refresh);
      });
      return () => {
        told = null;
        stop();
      };
    },
  };
}

const isOfState = ([, set]: unknown[]) => 'State' in Object(set) || 'Devices' in Object(set);

async function readActive(system: Bus): Promise<ActiveVpn[]> {
  const get = async (path: string, face: string, member: 'Get' | 'GetAll', rest: string[] = []): Promise<unknown> => {
    const call = { destination: manager, path, interface: properties, member, timeoutMs: busTimeoutMs };
    return (await system.call({ ...call, signature: 's'.repeat(1 + rest.length), body: [face, ...rest] }))[0];
  };
  const paths = pathsIn(await get(root.path, manager, 'Get', ['ActiveConnections']));
  const found = await Promise.all(
    paths.slice(0, mostConnections).map(async (path): Promise<ActiveVpn[]> => {
      // It may have ended since.
      const values = Object(await get(path, connection, 'GetAll').catch(() => null));
      const { Id, Type, State, Vpn, Devices } = values;
      const kind = Type === 'wireguard' ? 'wireguard' : Vpn === true || Type === 'vpn' ? 'vpn' : null;
      if (kind === null || typeof Id !== 'string') return [];
      // Of others it is the card that they go through.
      const [through] = kind === 'wireguard' ? pathsIn(Devices) : [];
      const name = through === undefined ? null : await get(through, device, 'Get', ['Interface']).catch(() => null);
      return [{ name: Id, kind, interface: typeof name === 'string' ? name : null, up: State === activated }];
    }),
  );
  return found.flat();
}

const pathsIn = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string' && each.startsWith(root.path)) : [];
