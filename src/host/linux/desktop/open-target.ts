import type { LinuxHost } from '../linux-host.ts';
import { findForUse, whyNoDesktop } from './desktop-session.ts';
import { askPortal, type PortalResponse, portalProperty } from './portal.ts';

export type OpenerHost = Pick<LinuxHost, 'dbus' | 'session' | 'launch' | 'environment'>;

/** Part of the desktop is missing, as opposed to a program that failed. */
export class NoOpener extends Error {
  override readonly name = 'NoOpener';
}

/** After this time a program counts as started, and a pending dialogue as success, ms. */
const momentMs = 2000;

/**
 * Opens an address or an absolute path with the program that the user prefers for it; the caller decides what may be opened.
 * Rejects with NoOpener where there is no desktop, or with a sentence.
 */
export async function openOnDesktop(host: OpenerHost, target: string): Promise<void> {
  // The portal accepts files as descriptors only, which our connection does not carry.
  const isAddress = !target.startsWith('/');
  if (isAddress && (await hasPortal(host))) {
    const outcome = await openByPortal(host, target);
    if (outcome === 'cancelled') throw new Error('the user chose no program for it');
    if (outcome !== 'failed') return;
  }
  const opener = await findOpener(host);
  const code = await host.launch.start(opener.program, [target], { ...opener, momentMs });
  if (code === null || code === 0) return;
  throw new Error(exits[code] ?? `${opener.program} ended with ${code}`);
}

const hasPortal = async ({ dbus }: OpenerHost) => (await portalProperty(dbus.session, 'OpenURI', 'version')) !== null;

async function openByPortal({ dbus }: OpenerHost, url: string): Promise<PortalResponse['outcome']> {
  const request = { part: 'OpenURI', member: 'OpenURI', signature: 'ssa{sv}', body: ['', url, {}] };
  try {
    return (await askPortal(dbus.session, { ...request, timeoutMs: momentMs })).outcome;
  } catch {
    return 'failed';
  }
}

/** The exit codes of xdg-open(1). */
const exits: Partial<Record<number, string>> = {
  2: 'xdg-open reports that it does not exist',
  3: 'no program for it is installed; install one, or set a default with xdg-mime or xdg-settings',
  4: 'the program for it failed',
};

/** null: opening is possible. */
export async function whyNotOpen(host: OpenerHost): Promise<string | null> {
  if (await hasPortal(host)) return null;
  try {
    await findOpener(host);
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}

interface Opener {
  program: string;
  env: Record<string, string>;
  cwd: string;
}

async function findOpener({ session, launch, environment }: OpenerHost): Promise<Opener> {
  const found = await findForUse(session);
  const { variables, wayland, x11 } = found;
  // Without one xdg-open would search for terminal browsers.
  if (wayland === null && x11 === null)
    throw new NoOpener(whyNoDesktop(found, 'no desktop session of this user is running; log in to one'));
  const program = launch.find('xdg-open');
  if (program === null) throw new NoOpener('xdg-open is not installed; install the package xdg-utils');
  const env = { PATH: launch.searchPath(), ...ownVariables(environment), ...variables };
  return { program, cwd: environment.home, env };
}

/** The variables that programs of the user need besides those of the session; no others are passed on. */
function ownVariables({ variable, home, userName }: OpenerHost['environment']): Record<string, string> {
  const passed = ['BROWSER', 'XDG_CONFIG_HOME', 'XDG_DATA_HOME', 'XDG_CACHE_HOME', 'XDG_STATE_HOME', 'LC_ALL'];
  const set = passed.flatMap((name) => {
    const value = variable(name);
    return value === null ? [] : [[name, value]];
  });
  return {
    HOME: home,
    USER: userName,
    LOGNAME: userName,
    ...Object.fromEntries(set),
  };
}
