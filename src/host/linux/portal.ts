import type { Bus, Signal } from '../dbus/dbus.ts';

/** https://flatpak.github.io/xdg-desktop-portal/docs/doc-org.freedesktop.portal.OpenURI.html */
const portal = {
  destination: 'org.freedesktop.portal.Desktop',
  path: '/org/freedesktop/portal/desktop',
};
const bus = { destination: 'org.freedesktop.DBus', path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus' };
const timeoutMs = 3000;

/** Whether the desktop has the portal and this part of it. */
export async function hasPortal(session: Bus, part: string): Promise<boolean> {
  try {
    const name = portal.destination;
    const [runs] = await session.call({ ...bus, member: 'NameHasOwner', signature: 's', body: [name], timeoutMs });
    if (runs !== true && !(await isActivatable(session, name))) return false;
    const properties = { ...portal, interface: 'org.freedesktop.DBus.Properties', member: 'Get' };
    const body = [`org.freedesktop.portal.${part}`, 'version'];
    await session.call({ ...properties, signature: 'ss', body, timeoutMs });
    return true;
  } catch {
    return false;
  }
}

async function isActivatable(session: Bus, name: string): Promise<boolean> {
  const [names] = await session.call({ ...bus, member: 'ListActivatableNames', timeoutMs });
  return Array.isArray(names) && names.includes(name);
}

/** `asking`: the user is being asked with which program, which may take any time. */
export type PortalAnswer = 'done' | 'cancelled' | 'failed' | 'asking';

/** Rejects with a BusError where the call itself fails. */
export async function openByPortal(session: Bus, url: string, patienceMs: number): Promise<PortalAnswer> {
  const answers = new Map<string, number>();
  const asked: { handle: string | null; settle(code: number): void } = { handle: null, settle: () => {} };
  const heard = ({ path, body: [code] }: Signal) => {
    if (typeof code !== 'number') return;
    answers.set(path, code);
    if (path === asked.handle) asked.settle(code);
  };
  // The answer may come before the number of the request that it is for.
  const match = { pathNamespace: `${portal.path}/request`, interface: 'org.freedesktop.portal.Request' };
  const stop = await session.subscribe({ ...match, member: 'Response' }, heard);
  try {
    const call = { ...portal, interface: 'org.freedesktop.portal.OpenURI', member: 'OpenURI' };
    const [handle] = await session.call({ ...call, signature: 'ssa{sv}', body: ['', url, {}], timeoutMs });
    asked.handle = String(handle);
    const early = answers.get(asked.handle);
    if (early !== undefined) return meaning(early);
    return await new Promise<PortalAnswer>((resolve) => {
      const timer = setTimeout(() => resolve('asking'), patienceMs);
      asked.settle = (code) => {
        clearTimeout(timer);
        resolve(meaning(code));
      };
    });
  } finally {
    stop();
  }
}

function meaning(code: number): PortalAnswer {
  if (code === 0) return 'done';
  return code === 1 ? 'cancelled' : 'failed';
}
