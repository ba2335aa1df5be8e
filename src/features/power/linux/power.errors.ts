import { BusError } from '@hostler/dbus/dbus.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { findLoginManager } from '../../../host/linux/login/login-session.ts';
import type { LoginManager } from '../../../host/linux/login/logind-manager.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';

/** A verb of the contract before it is bound to a host. */
export interface LinuxVerb {
  check(host: LinuxHost, options: { force: boolean }): Promise<void>;
  perform(host: LinuxHost, options: { force: boolean }): Promise<string>;
}

/** Throws unsupported without a manager. */
export async function requireManager({ dbus }: LinuxHost, name: string): Promise<LoginManager> {
  const manager = await withServiceErrors(name, () => findLoginManager(dbus.system));
  if (manager !== null) return manager;
  throw new ServiceError(
    'unsupported',
    `power.${name} is not supported here: neither systemd-logind, elogind nor ConsoleKit2 answers on the system bus. Install one of them, or, in a container, mount /run/dbus/system_bus_socket`,
  );
}

/** An error of the system as a ServiceError. */
export async function withServiceErrors<T>(name: string, ask: () => Promise<T>): Promise<T> {
  try {
    return await ask();
  } catch (cause) {
    if (!(cause instanceof BusError)) throw cause;
    const code = isRefusal(cause) ? 'forbidden' : (codes[cause.errorName] ?? 'failed');
    throw new ServiceError(code, `power.${name} failed: ${shownText(messageOf(cause), 300)}`, { cause });
  }
}

/** Refused by policy, as opposed to having failed. */
export const isRefusal = (error: unknown): boolean => error instanceof BusError && refusals.has(error.errorName);

const refusals = new Set([
  'org.freedesktop.DBus.Error.AccessDenied',
  'org.freedesktop.DBus.Error.AuthFailed',
  'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired',
  'org.freedesktop.PolicyKit1.Error.NotAuthorized',
  'org.freedesktop.ConsoleKit.Manager.Error.NotPrivileged',
]);

const codes: Record<string, 'conflict' | 'unsupported'> = {
  'org.freedesktop.login1.SleepVerbNotSupported': 'unsupported',
  'org.freedesktop.login1.OperationInProgress': 'conflict',
  'org.freedesktop.login1.BlockedByInhibitorLock': 'conflict',
};

/** Length limit of text from other programs. */
const longestWords = 100;

const mostNamed = 5;

/** Any program may be one of them, thousands of times and with any text. */
export function listBlockers(blockers: readonly { who: string; why: string; pid?: number }[]): string {
  const named = blockers.slice(0, mostNamed).map(({ who, why, pid }) => {
    const process = pid === undefined ? '' : `; process ${pid}`;
    return `${shownText(who, longestWords)} (${shownText(why, longestWords)}${process})`;
  });
  const others = blockers.length - named.length;
  return [...named, ...(others > 0 ? [`${others} more`] : [])].join(' and by ');
}
