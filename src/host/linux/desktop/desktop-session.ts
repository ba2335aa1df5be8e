import fs from 'node:fs';
import path from 'node:path';
import type { Bus, Dbus } from '@hostler/dbus/dbus.ts';
import { type ConnectLocal, type Peer, PeerRefusal } from '@hostler/io/local-socket.ts';
import type { Clock } from '../../../lib/clock.ts';
import type { Paths } from '../../paths.ts';
import { type BusAddress, formatBusAddress, parseBusAddress } from '../dbus/bus-address.ts';
import type { LinuxEnvironment } from '../linux-environment.ts';
import { runtimeRefusal } from '../runtime-directory.ts';
import { exposureAbove } from '../storage/exposure.ts';
import { askLogind } from './desktop-session.logind.ts';
import { askManager } from './desktop-session.manager.ts';
import { pick, type SessionVariables, withoutDisplays } from './desktop-session.variables.ts';
import { watchPlaces } from './desktop-session.watch.ts';

/**
 * The desktop of the user we run as, also for a service that was started outside of it and knows none of its variables.
 *
 *     const { variables, wayland, x11 } = await host.session.find();
 *     const stop = host.session.watch(() => { … find again … });
 *
 * `find` costs a few connections and is shared by all who ask within a second; nothing is kept, no timer runs.
 * `watch` hears of sessions that start, end or change, by the sockets they make; it costs a watch on two directories while it lasts.
 * The session bus needs none of this: `host.dbus.session` looks for its socket at every connection.
 */
export interface DesktopSession {
  /** `afresh`: for who has just seen that the last answer is not true any more. */
  find(afresh?: boolean): Promise<FoundSession>;
  watch(changed: () => void): () => void;
}

export interface FoundSession {
  /**
   * What programs need that are to run in the session: DISPLAY, WAYLAND_DISPLAY, XAUTHORITY, XDG_CURRENT_DESKTOP and so on. Sockets that they name
   * belonged to an expected user a moment ago.
   */
  variables: Record<string, string>;
  /** Socket of the Wayland compositor; it answered a moment ago. */
  wayland: string | null;
  /** The X server, which may be that of Wayland for old programs; it answered a moment ago. */
  x11: X11Place | null;
  /** Why displays, buses and directories that the variables name are not used: another user could have made them. Left out: none. */
  refused?: readonly string[];
}

export interface X11Place {
  /** As in DISPLAY, such as `:0`. */
  display: string;
  number: number;
  socket: string;
  /** Files that may hold the key to it, to be tried in this order; many servers let their user in without one. */
  authorities: string[];
}

export interface DesktopSessionParts {
  environment: Pick<LinuxEnvironment, 'variable' | 'uid' | 'home'>;
  paths: Pick<Paths, 'runtime'>;
  dbus: Dbus;
  connectLocal: ConnectLocal;
  clock: Clock;
}

/** Who asks again within this time gets the same answer, ms. */
const freshMs = 1000;
const x11Sockets = '/tmp/.X11-unix';

export function createDesktopSession(parts: DesktopSessionParts): DesktopSession {
  const { clock, paths, dbus } = parts;
  let last: { found: Promise<FoundSession>; at: number } | null = null;
  return {
    find(afresh = false) {
      if (last === null || afresh || clock.monotonic() - last.at > freshMs) {
        last = { found: findSession(parts), at: clock.monotonic() };
      }
      return last.found;
    },
    watch(changed) {
      const forget = () => {
        last = null;
        changed();
      };
      // A session bus that was waited for is tried at once, not when its turn comes.
      const wake = () => void nudge(dbus.session).finally(forget);
      return watchPlaces({ runtime: paths.runtime, buses: otherBuses(parts), x11Sockets, clock, changed: wake });
    },
  };
}

/** For who is about to do something there: what was missing a moment ago may have started since. */
export async function findForUse(session: Pick<DesktopSession, 'find'>): Promise<FoundSession> {
  const found = await session.find();
  return hasDisplay(found) ? found : await session.find(true);
}

/** The cause for who finds no desktop to work in: `otherwise`, unless one was refused. */
export function whyNoDesktop({ refused = [] }: FoundSession, otherwise: string): string {
  return refused.length === 0 ? otherwise : refused.join('; ');
}

function otherBuses({ environment, paths }: DesktopSessionParts): string[] {
  const named = parseBusAddress(environment.variable('DBUS_SESSION_BUS_ADDRESS') ?? '', environment);
  const sockets = named.map(({ socket }) => socket);
  return sockets.filter((socket) => socket.startsWith('/') && path.dirname(socket) !== paths.runtime);
}

async function findSession(parts: DesktopSessionParts): Promise<FoundSession> {
  const own = pick((name) => parts.environment.variable(name));
  const refused = new Set<string>();
  const search = { ...parts, refused };
  let found = await live(search, own);
  // Started inside the session: it knows everything, and nobody has to be asked.
  if (hasDisplay(found)) return found;
  for (const ask of [askManager, askLogind]) {
    const told = await ask(parts);
    found = await live(search, { ...told, ...withoutDisplays(own) });
    if (hasDisplay(found)) return found;
  }
  return await live(search, { ...found.variables, ...withoutDisplays(own) }, waylandSockets(parts.paths.runtime));
}

const hasDisplay = ({ wayland, x11 }: FoundSession) => wayland !== null || x11 !== null;

/** Collects why something is not used. */
interface Search extends DesktopSessionParts {
  refused: Set<string>;
}

/** What of it is true now: displays and buses that answer, and that belong to an expected user. */
async function live(search: Search, told: SessionVariables, moreWayland: string[] = []): Promise<FoundSession> {
  const runtime = runtimeIn(search, told);
  const named = told.WAYLAND_DISPLAY === undefined ? null : path.resolve(runtime ?? '/', told.WAYLAND_DISPLAY);
  const [wayland, x11, bus] = await Promise.all([
    firstAnswering(search, named === null ? moreWayland : [named]),
    answeringX11(search, told, runtime),
    answeringBus(search, told, runtime),
  ]);
  const { DISPLAY, WAYLAND_DISPLAY, XAUTHORITY, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS, ...rest } = told;
  const authority = x11?.authorities[0];
  const type = wayland !== null ? 'wayland' : x11 !== null ? 'x11' : undefined;
  return {
    wayland,
    x11,
    ...(search.refused.size === 0 ? {} : { refused: [...search.refused] }),
    variables: defined({
      XDG_RUNTIME_DIR: runtime !== null && fs.existsSync(runtime) ? runtime : undefined,
      DBUS_SESSION_BUS_ADDRESS: bus === null ? undefined : formatBusAddress(bus),
      ...rest,
      XDG_SESSION_TYPE: type ?? rest.XDG_SESSION_TYPE,
      WAYLAND_DISPLAY: wayland === null ? undefined : relativeTo(runtime, wayland),
      DISPLAY: x11?.display,
      XAUTHORITY: authority,
    }),
  };
}

function defined(values: SessionVariables): Record<string, string> {
  const entries = Object.entries(values).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return Object.fromEntries(entries);
}

function runtimeIn({ paths, refused }: Search, { XDG_RUNTIME_DIR: named }: SessionVariables): string | null {
  if (named === undefined) return paths.runtime;
  const refusal = runtimeRefusal({ variable: () => named });
  if (refusal === null) return named;
  refused.add(refusal);
  return paths.runtime;
}

async function answeringBus(
  search: Search,
  told: SessionVariables,
  runtime: string | null,
): Promise<BusAddress | null> {
  const named = told.DBUS_SESSION_BUS_ADDRESS;
  const variable = (name: string) => (name === 'XDG_RUNTIME_DIR' ? runtime : null);
  const usual = runtime === null ? [] : [{ socket: path.join(runtime, 'bus'), guid: null }];
  const places = named === undefined ? usual : parseBusAddress(named, { variable });
  const sockets = places.map(({ socket }) => socket);
  const answering = await firstAnswering(search, sockets, 'self');
  return places.find(({ socket }) => socket === answering) ?? null;
}

function relativeTo(runtime: string | null, socket: string): string {
  return path.dirname(socket) === runtime ? path.basename(socket) : socket;
}

/**
 * The socket in the file system comes first: its directory belongs to root. Programs of libX11 try the abstract name first, which anyone may take that
 * the server does not, so a display of which either belongs to another user is not used at all.
 */
async function answeringX11(search: Search, told: SessionVariables, runtime: string | null): Promise<X11Place | null> {
  const number = localDisplay(told.DISPLAY);
  if (number === null || told.DISPLAY === undefined) return null;
  const file = path.join(x11Sockets, `X${number}`);
  const [byFile, byName] = await Promise.all([
    isReplaceable(search, file) ? 'absent' : look(search, file, 'self-or-root'),
    look(search, `\0${file}`, 'self-or-root'),
  ]);
  if (byFile === 'refused' || byName === 'refused' || (byFile === 'absent' && byName === 'absent')) return null;
  const socket = byFile === 'answers' ? file : `\0${file}`;
  const authorities = [
    ...(told.XAUTHORITY === undefined ? [] : [told.XAUTHORITY]),
    ...(runtime === null ? [] : authoritiesIn(runtime)),
    path.join(search.environment.home, '.Xauthority'),
  ];
  return { display: told.DISPLAY, number, socket, authorities: [...new Set(authorities)].filter(fs.existsSync) };
}

function isReplaceable({ refused }: Search, socket: string): boolean {
  const exposed = fs.existsSync(socket) ? exposureAbove(socket) : null;
  if (exposed !== null) refused.add(`the X server at ${socket} is not used: ${exposed.problem}`);
  return exposed !== null;
}

/** null: the display of another machine, such as one behind ssh. It is not a session of this one, and who serves it cannot be verified. */
export function localDisplay(display: string | undefined): number | null {
  const [, number] = /^(?:unix)?:(\d{1,5})(?:\.\d+)?$/.exec(display ?? '') ?? [];
  return number === undefined ? null : Number(number);
}

/** Where login managers and compositors put the key: gdm, sddm and Mutter in this order. */
function authoritiesIn(runtime: string): string[] {
  const named = list(runtime).filter((name) => /^(xauth_|\.mutter-Xwaylandauth\.)/.test(name));
  return ['gdm/Xauthority', ...named.sort()].map((name) => path.join(runtime, name));
}

/** Compositors that tell nobody: what listens in the runtime directory, the latest number first. */
function waylandSockets(runtime: string | null): string[] {
  if (runtime === null) return [];
  const numbers = list(runtime).flatMap((name) => /^wayland-(\d+)$/.exec(name)?.[1] ?? []);
  return numbers.sort((a, b) => Number(b) - Number(a)).map((number) => path.join(runtime, `wayland-${number}`));
}

function list(directory: string): string[] {
  try {
    return fs.readdirSync(directory);
  } catch {
    return [];
  }
}

/** A socket whose program was killed stays as a file: only one that answers counts. */
async function firstAnswering(search: Search, sockets: string[], peer: Peer = 'self-or-root'): Promise<string | null> {
  for (const socket of sockets) if ((await look(search, socket, peer)) === 'answers') return socket;
  return null;
}

async function look(
  { connectLocal, refused }: Search,
  socket: string,
  peer: Peer,
): Promise<'answers' | 'absent' | 'refused'> {
  try {
    (await connectLocal(socket, { data: () => {}, closed: () => {} }, peer)).close();
    return 'answers';
  } catch (error) {
    if (!(error instanceof PeerRefusal)) return 'absent';
    refused.add(error.message);
    return 'refused';
  }
}

/** Any question makes a lost connection come back, if it can. */
async function nudge(session: Bus): Promise<void> {
  const bus = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
  await session.call({ ...bus, member: 'GetId', timeoutMs: 2000 }).catch(() => {});
}
