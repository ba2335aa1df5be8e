import { type Bus, busDaemon, type Signal } from '@hostler/dbus/dbus.ts';
import { isObject } from '../../../lib/values.ts';
import { getProperty, hasOwner } from '../dbus/bus-properties.ts';

/** The interface of the desktop for external programs. https://flatpak.github.io/xdg-desktop-portal */
export const portal = {
  destination: 'org.freedesktop.portal.Desktop',
  path: '/org/freedesktop/portal/desktop',
};
const timeoutMs = 3000;
/** Responses to other requests that may arrive before the path of this one. */
const mostEarly = 16;

/**
 * A property of a part of the portal, such as OpenURI. null: the desktop has no portal, or not this part. One that does not run
 * is started only if `mayStart`: outside of large desktops that can take very long.
 */
export async function portalProperty(session: Bus, part: string, name: string, mayStart = false): Promise<unknown> {
  try {
    const owner = portal.destination;
    const runs = await hasOwner(session, owner, timeoutMs);
    if (!runs && !(mayStart && (await isActivatable(session, owner)))) return null;
    const place = { ...portal, interface: `org.freedesktop.portal.${part}` };
    return (await getProperty(session, place, name, timeoutMs)) ?? null;
  } catch {
    return null;
  }
}

/** Whether a portal is running, or would be started on request. */
export async function hasAnyPortal(session: Bus): Promise<boolean> {
  try {
    const owner = portal.destination;
    return (await hasOwner(session, owner, timeoutMs)) || (await isActivatable(session, owner));
  } catch {
    return false;
  }
}

async function isActivatable(session: Bus, name: string): Promise<boolean> {
  const [names] = await session.call({ ...busDaemon, member: 'ListActivatableNames', timeoutMs });
  return Array.isArray(names) && names.includes(name);
}

export interface PortalRequest {
  /** Such as OpenURI. */
  part: string;
  member: string;
  signature: string;
  body: unknown[];
  timeoutMs: number;
  /** Closes the prompt when that time is over, since a later answer would be ignored. */
  withdraw?: boolean;
  /** Ends the wait at once. */
  signal?: AbortSignal;
}

/** `asking`: the user has not decided yet. */
export interface PortalResponse {
  outcome: 'done' | 'cancelled' | 'failed' | 'asking';
  results: Record<string, unknown>;
}

/** Rejects with a BusError where the call itself fails. */
export async function askPortal(session: Bus, request: PortalRequest): Promise<PortalResponse> {
  const { part, member, signature, body, timeoutMs, withdraw = false, signal } = request;
  const responses = new Map<string, PortalResponse>();
  const asked: { handle: string | null; settle(response: PortalResponse): void } = { handle: null, settle: () => {} };
  const received = ({ path, body: [code, results] }: Signal) => {
    const response = { outcome: meaning(code), results: isObject(results) ? results : {} };
    if (path === asked.handle) asked.settle(response);
    else if (asked.handle === null && responses.size < mostEarly) responses.set(path, response);
  };
  // The answer may arrive before the path of its request.
  const pathNamespace = `${portal.path}/request`;
  const match = { sender: portal.destination, pathNamespace, interface: 'org.freedesktop.portal.Request' };
  const stop = await session.subscribe({ ...match, member: 'Response' }, received);
  try {
    const call = { ...portal, interface: `org.freedesktop.portal.${part}`, member, signature, body, timeoutMs };
    const [handle] = await session.call(call);
    asked.handle = String(handle);
    const early = responses.get(asked.handle);
    if (early !== undefined) return early;
    const { promise, resolve } = Promise.withResolvers<PortalResponse>();
    asked.settle = resolve;
    const late = async () => {
      // An answer that is under way arrives before the reply to this call.
      if (withdraw) await closeRequest(session, String(handle));
      resolve({ outcome: 'asking', results: {} });
    };
    const timer = setTimeout(late, timeoutMs);
    signal?.addEventListener('abort', late);
    if (signal?.aborted) void late();
    return await promise.finally(() => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', late);
    });
  } finally {
    stop();
  }
}

async function closeRequest(session: Bus, path: string): Promise<void> {
  const { destination } = portal;
  const call = { destination, path, interface: 'org.freedesktop.portal.Request', member: 'Close', timeoutMs };
  await session.call(call).catch(() => {});
}

function meaning(code: unknown): PortalResponse['outcome'] {
  if (code === 0) return 'done';
  return code === 1 ? 'cancelled' : 'failed';
}
