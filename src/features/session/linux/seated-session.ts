import type { Bus } from '@hostler/dbus/dbus.ts';
import {
  type BusValues,
  busTimeoutMs,
  busValues,
  getProperties,
  signalsOf,
} from '../../../host/linux/dbus/bus-properties.ts';
import { chooseSession } from '../../../host/linux/login/login-session.ts';
import { loginManager, readSessions } from '../../../host/linux/login/logind.ts';
import { shownText } from '../../../lib/printable-text.ts';

/** The session of the user as logind knows it. */
export interface SeatedSession {
  user: string;
  /** Empty: no seat, as in a session over the network. */
  seat: string;
  /** `x11`, `wayland`, `mir`, `tty`, `unspecified`. */
  type: string;
  /** As set by the login manager; usually empty. */
  desktop: string;
  /** The last hint of the desktop; also false where a desktop never sets it. */
  idle: boolean;
  /** Unix milliseconds; 0: never. */
  idleSince: number;
  locked: boolean;
}

/** `empty`: logind runs, and no user is logged in. null: logind is not running. */
export type Seated = SeatedSession | 'empty' | null;

const properties = 'org.freedesktop.DBus.Properties';

/** Properties whose change is reported; others change all the time, or never. */
const shown = ['Active', 'State', 'Type', 'IdleHint', 'IdleSinceHint', 'LockedHint'];
const isNews = ([, changes, invalidated]: unknown[]) =>
  shown.some((name) => name in Object(changes) || (Array.isArray(invalidated) && invalidated.includes(name)));

/** https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.login1.html */
export function seatedSession(system: Bus, uid: number | null): Pick<BusValues, 'watch'> & { read(): Promise<Seated> } {
  let session: SeatedSession | 'empty' = 'empty';
  const { destination: sender, path } = loginManager;
  const match = { sender, pathNamespace: `${path}/session`, interface: properties, member: 'PropertiesChanged' };
  const values = busValues(system, loginManager, {
    names: [],
    async ask() {
      session = await readSeated(system, uid);
      return new Map();
    },
    signals: [
      { match: signalsOf(loginManager, 'SessionNew') },
      { match: signalsOf(loginManager, 'SessionRemoved') },
      { match, isNews },
    ],
  });
  return {
    watch: values.watch,
    read: async () => ((await values.read()) === null ? null : session),
  };
}

async function readSeated(system: Bus, uid: number | null): Promise<SeatedSession | 'empty'> {
  const chosen = chooseSession(await readSessions(system, busTimeoutMs), uid);
  if (chosen === null) return 'empty';
  const place = { ...loginManager, path: chosen.path, interface: 'org.freedesktop.login1.Session' };
  return parseSeated(await getProperties(system, place, busTimeoutMs));
}

function parseSeated(found: unknown): SeatedSession {
  const values = new Map<string, unknown>(Object.entries(Object(found)));
  const text = (name: string) => shownText(String(values.get(name) ?? ''), 64);
  const [seat] = Array.isArray(values.get('Seat')) ? (values.get('Seat') as unknown[]) : [];
  return {
    user: text('Name'),
    seat: typeof seat === 'string' ? shownText(seat, 64) : '',
    type: text('Type'),
    desktop: text('Desktop'),
    idle: values.get('IdleHint') === true,
    idleSince: Math.floor((Number(values.get('IdleSinceHint') ?? 0) || 0) / 1000),
    locked: values.get('LockedHint') === true,
  };
}
