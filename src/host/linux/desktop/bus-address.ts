import fs from 'node:fs';
import path from 'node:path';
import { BusError } from '../../../protocols/dbus/dbus.ts';
import type { LinuxEnvironment } from '../linux-environment.ts';
import { runtimeOf } from '../linux-paths.ts';

/** Sockets of the system bus, to be tried in this order. */
export function systemSockets({ variable }: Variables): string[] {
  const address = variable('DBUS_SYSTEM_BUS_ADDRESS');
  if (address !== null) return socketsOf('DBUS_SYSTEM_BUS_ADDRESS', address, { variable });
  return ['/run/dbus/system_bus_socket', '/var/run/dbus/system_bus_socket'];
}

/** Sockets of the bus of the user we run as. */
export function sessionSockets(variables: Variables): string[] {
  const address = variables.variable('DBUS_SESSION_BUS_ADDRESS');
  if (address !== null) return socketsOf('DBUS_SESSION_BUS_ADDRESS', address, variables);
  const [socket] = runtimeSocket(variables);
  if (socket !== undefined && fs.existsSync(socket)) return [socket];
  throw new BusError(
    'Hostler.NoBus',
    `There is no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and ${socket ?? 'the directory XDG_RUNTIME_DIR'} is not there. Start Hostler as the user whose session it is to use.`,
  );
}

/** The unix sockets of an address list. https://dbus.freedesktop.org/doc/dbus-specification.html#addresses */
export function parseBusAddress(text: string, variables: Variables): string[] {
  return text.split(';').flatMap((address) => {
    const [transport, rest = ''] = splitOnce(address, ':');
    // unixexec would start a program, tcp would trust the network: neither is for us.
    if (transport !== 'unix') return [];
    const keys = new Map(rest.split(',').map((pair) => splitOnce(pair, '=')));
    const file = decode(keys.get('path'));
    if (file !== null) return path.isAbsolute(file) ? [file] : [];
    const abstract = decode(keys.get('abstract'));
    if (abstract !== null) return [`\0${abstract}`];
    return keys.get('runtime') === 'yes' ? runtimeSocket(variables) : [];
  });
}

/** Without XDG_RUNTIME_DIR the number of the user tells where the sockets of the session are. */
export type Variables = Pick<LinuxEnvironment, 'variable'> & Partial<Pick<LinuxEnvironment, 'uid'>>;

function socketsOf(name: string, address: string, variables: Variables): string[] {
  const sockets = parseBusAddress(address, variables);
  if (sockets.length > 0) return sockets;
  throw new BusError(
    'Hostler.NoBus',
    `${name} names no unix socket; it should look like unix:path=/run/user/1000/bus.`,
  );
}

function runtimeSocket({ variable, uid }: Variables): string[] {
  const directory = variable('XDG_RUNTIME_DIR') ?? runtimeOf(uid);
  return directory !== null && path.isAbsolute(directory) ? [path.join(directory, 'bus')] : [];
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

/** Values are percent-encoded bytes. */
function decode(value: string | undefined): string | null {
  if (!value) return null;
  try {
    const text = decodeURIComponent(value);
    return text.includes('\0') ? null : text;
  } catch {
    return null;
  }
}
