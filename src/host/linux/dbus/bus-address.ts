import fs from 'node:fs';
import path from 'node:path';
import { BusError } from '@hostler/dbus/dbus.ts';
import type { BusEndpoint } from '@hostler/dbus/link.ts';
import { type RuntimeVariables, runtimeDirectory, runtimeRefusal } from '../runtime-directory.ts';

/** Possible addresses of the system bus, in order. */
export function systemPlaces({ variable }: RuntimeVariables): BusEndpoint[] {
  const address = variable('DBUS_SYSTEM_BUS_ADDRESS');
  const sockets =
    address === null
      ? customary.map((socket) => ({ socket, guid: null }))
      : addressesOf('DBUS_SYSTEM_BUS_ADDRESS', address, { variable });
  return sockets.map((place) => ({ ...place, peer: 'system-bus' }));
}

const customary = ['/run/dbus/system_bus_socket', '/var/run/dbus/system_bus_socket'];

/** Possible addresses of the session bus of this user. */
export function sessionPlaces(variables: RuntimeVariables): BusEndpoint[] {
  const address = variables.variable('DBUS_SESSION_BUS_ADDRESS');
  if (address !== null)
    return addressesOf('DBUS_SESSION_BUS_ADDRESS', address, variables).map((place) => ({ ...place, peer: 'self' }));
  const [place] = runtimeBus(variables);
  if (place !== undefined && fs.existsSync(place.socket)) return [{ ...place, peer: 'self' }];
  const refused = runtimeRefusal(variables);
  throw new BusError(
    'Client.NoBus',
    `There is no session bus: DBUS_SESSION_BUS_ADDRESS is not set, and ${refused ?? `${place?.socket ?? 'the directory XDG_RUNTIME_DIR'} does not exist`}. Start Hostler as the user whose session it is to use.`,
  );
}

/** The unix sockets of an address list. https://dbus.freedesktop.org/doc/dbus-specification.html#addresses */
export function parseBusAddress(text: string, variables: RuntimeVariables): BusAddress[] {
  return text.split(';').flatMap((address) => {
    const [transport, rest = ''] = splitOnce(address, ':');
    // unixexec would start a program and tcp would trust the network: neither is supported.
    if (transport !== 'unix') return [];
    const keys = new Map(rest.split(',').map((pair) => splitOnce(pair, '=')));
    const file = decode(keys.get('path'));
    const guid = decode(keys.get('guid'));
    if (file !== null) return path.isAbsolute(file) ? [{ socket: file, guid }] : [];
    const abstract = decode(keys.get('abstract'));
    if (abstract !== null) return [{ socket: `\0${abstract}`, guid }];
    return keys.get('runtime') === 'yes' ? runtimeBus(variables).map(({ socket }) => ({ socket, guid })) : [];
  });
}

/** The same as text. */
export function formatBusAddress({ socket, guid }: BusAddress): string {
  const place = socket.startsWith('\0') ? `abstract=${encode(socket.slice(1))}` : `path=${encode(socket)}`;
  return `unix:${place}${guid === null ? '' : `,guid=${encode(guid)}`}`;
}

export type BusAddress = Omit<BusEndpoint, 'peer'>;

function addressesOf(name: string, address: string, variables: RuntimeVariables): BusAddress[] {
  const sockets = parseBusAddress(address, variables);
  if (sockets.length > 0) return sockets;
  throw new BusError('Client.NoBus', `${name} names no unix socket; it should look like unix:path=/run/user/1000/bus.`);
}

function runtimeBus(variables: RuntimeVariables): BusAddress[] {
  const directory = runtimeDirectory(variables);
  return directory === null ? [] : [{ socket: path.join(directory, 'bus'), guid: null }];
}

function splitOnce(text: string, separator: string): [string, string | undefined] {
  const at = text.indexOf(separator);
  return at === -1 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

const encode = (value: string) =>
  value.replace(/[^\w\-/.*]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  );

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
