import fs from 'node:fs';
import path from 'node:path';
import { type Bus, busDaemon, type Dbus } from '@hostler/dbus/dbus.ts';
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
 * The desktop session of this user, also for a service that was started outside of it without its variables.
 *
 *     const { variables, wayland, x11 } = await host.session.find();
 *     const stop = host.session.watch(() => { … find again … });
 *
 * `find` costs a few connections, and calls within a second share its result; there is no timer.
 * `watch` reports sessions that start, end or change, by their sockets; it costs a watch on two directories.
 * The session bus needs none of this: `host.dbus.session` finds its socket at every connection.
 */
export interface DesktopSession {
  /** `afresh`: ignores the shared result, for callers that found it outdated. */
  find(afresh?: boolean): Promise<FoundSession>;
  watch(changed: () => void): () => void;
}

export interface FoundSession {
  /**
   * The variables for programs in the session: DISPLAY, WAYLAND_DISPLAY, XAUTHORITY, XDG_CURRENT_DESKTOP and so on. The sockets that they name
   * have just been verified to belong to an expected user.
   */
  variables: Record<string, string>;
  /** Socket of the Wayland compositor; it answered a moment ago. */
  wayland: string | null;
  /** The X server, which may be that of Wayland for old programs; it answered a moment ago. */
  x11: X11Place | null;
  /** Why displays, buses and directories that the variables name are not used: another user could have created them. Left out: none. */
  refused?: readonly string[];
}

export interface X11Place {
  /** As in DISPLAY, such as `:0`. */
  display: string;
  number: number;
  socket: string;
  /** Files that may hold its key, in order; many servers accept their user without one. */
  authorities: string[];
}

export interface DesktopSessionParts {
  environment: Pick<LinuxEnvironment, 'variable' | 'uid' | 'home'>;
  paths: Pick<Paths, 'runtime'>;
  dbus: Dbus;
  connectLocal: ConnectLocal;
  clock: Clock;
}

/** Calls within this time share the result, ms. */
const freshMs = 1000;
/** The same for a machine without a desktop; `watch` notices one that starts, and actions search anew. */
const absentMs = 5000;
const x11Sockets = '/tmp/.X11-unix';

export function createDesktopSession(parts: DesktopSessionParts): DesktopSession {
  const { clock, paths, dbus } = parts;
  let last: Remembered | null = null;
  return {
    find(afresh = false) {
      if (last === null || afresh || clock.monotonic() > last.until) last = remember(findSession(parts), clock);
      return last.found;
    },
    watch(changed) {
      const forget = () => {
        last = null;
        changed();
      };
      // Retry a lost session bus at once, not at its next scheduled attempt.
      const wake = () => void nudge(dbus.session).finally(forget);
      return watchPlaces({ runtime: paths.runtime, buses: otherBuses(parts), x11Sockets, clock, changed: wake });
    },
  };
}

interface Remembered {
  found: Promise<FoundSession>;
  until: number;
}

function remember(found: Promise<FoundSession>, clock: Clock): Remembered {
  const remembered = { found, until: clock.monotonic() + freshMs };
  const extend = (session: FoundSession) => {
    if (!hasDisplay(session)) remembered.until += absentMs - freshMs;
  };
  void found.then(extend, () => {});
  return remembered;
}

/** For actions: a session that was missing in the shared result may have started since. */
export async function findForUse(session: Pick<DesktopSession, 'find'>): Promise<FoundSession> {
  const found = await session.find();
  return hasDisplay(found) ? found : await session.find(true);
}

/** Why there is no desktop: `otherwise`, unless one was refused. */
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
  // Started inside the session: the environment is complete, and no query is needed.
  if (hasDisplay(found)) return found;
  for (const ask of [askManager, askLogind]) {
    const given = await ask(parts);
    found = await live(search, { ...given, ...withoutDisplays(own) });
    if (hasDisplay(found)) return found;
  }
  return await live(search, { ...found.variables, ...withoutDisplays(own) }, waylandSockets(parts.paths.runtime));
}

const hasDisplay = ({ wayland, x11 }: FoundSession) => wayland !== null || x11 !== null;

interface Search extends DesktopSessionParts {
  refused: Set<string>;
}

/** The displays and buses that answer now, and that belong to an expected user. */
async function live(search: Search, given: SessionVariables, moreWayland: string[] = []): Promise<FoundSession> {
  const runtime = runtimeIn(search, given);
  const named = given.WAYLAND_DISPLAY === undefined ? null : path.resolve(runtime ?? '/', given.WAYLAND_DISPLAY);
  const [wayland, x11, bus] = await Promise.all([
    firstAnswering(search, named === null ? moreWayland : [named]),
    answeringX11(search, given, runtime),
    answeringBus(search, given, runtime),
  ]);
  const { DISPLAY, WAYLAND_DISPLAY, XAUTHORITY, XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS, ...rest } = given;
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
  given: SessionVariables,
  runtime: string | null,
): Promise<BusAddress | null> {
  const named = given.DBUS_SESSION_BUS_ADDRESS;
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
 * The socket in the file system comes first: its directory belongs to root. Programs of libX11 try the abstract name first, which any user may take if
 * the server does not, so a display is not used if either belongs to another user.
 */
async function answeringX11(search: Search, given: SessionVariables, runtime: string | null): Promise<X11Place | null> {
  const number = localDisplay(given.DISPLAY);
  if (number === null || given.DISPLAY === undefined) return null;
  const file = path.join(x11Sockets, `X${number}`);
  const [byFile, byName] = await Promise.all([
    isReplaceable(search, file) ? 'absent' : probe(search, file, 'self-or-root'),
    probe(search, `\0${file}`, 'self-or-root'),
  ]);
  if (byFile === 'refused' || byName === 'refused' || (byFile === 'absent' && byName === 'absent')) return null;
  const socket = byFile === 'answers' ? file : `\0${file}`;
  const authorities = [
    ...(given.XAUTHORITY === undefined ? [] : [given.XAUTHORITY]),
    ...(runtime === null ? [] : authoritiesIn(runtime)),
    path.join(search.environment.home, '.Xauthority'),
  ];
  return { display: given.DISPLAY, number, socket, authorities: [...new Set(authorities)].filter(fs.existsSync) };
}

function isReplaceable({ refused }: Search, socket: string): boolean {
  const exposed = fs.existsSync(socket) ? exposureAbove(socket) : null;
  if (exposed !== null) refused.add(`the X server at ${socket} is not used: ${exposed.problem}`);
  return exposed !== null;
}

/** null: the display of another machine, such as one behind ssh. It is not a session of this machine, and its server cannot be verified. */
export function localDisplay(display: string | undefined): number | null {
  const [, number] = /^(?:unix)?:(\d{1,5})(?:\.\d+)?$/.exec(display ?? '') ?? [];
  return number === undefined ? null : Number(number);
}

/** The key files of login managers and compositors: gdm, sddm and Mutter in this order. */
function authoritiesIn(runtime: string): string[] {
  const named = list(runtime).filter((name) => /^(xauth_|\.mutter-Xwaylandauth\.)/.test(name));
  return ['gdm/Xauthority', ...named.sort()].map((name) => path.join(runtime, name));
}

/** Compositors that set no variables: the sockets in the runtime directory, the highest number first. */
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

/** A killed program leaves its socket file behind: only one that answers counts. */
async function firstAnswering(search: Search, sockets: string[], peer: Peer = 'self-or-root'): Promise<string | null> {
  for (const socket of sockets) if ((await probe(search, socket, peer)) === 'answers') return socket;
  return null;
}

async function probe(
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

/** Any call reconnects a lost connection, if possible. */
async function nudge(session: Bus): Promise<void> {
  session.forgetFailure?.();
  await session.call({ ...busDaemon, member: 'GetId', timeoutMs: 2000 }).catch(() => {});
}
