import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { ServiceError } from '../../../lib/errors.ts';

/** Activated by D-Bus on the first call. https://gitlab.gnome.org/GNOME/dconf */
const writer = {
  destination: 'ca.desrt.dconf',
  path: '/ca/desrt/dconf/Writer/user',
  interface: 'ca.desrt.dconf.Writer',
};
const timeoutMs = 3000;

/** Sets one of the user's settings of GNOME, such as `/org/gnome/desktop/notifications/show-banners`. */
export async function writeDconf(session: Bus, key: string, value: boolean): Promise<void> {
  const call = { ...writer, member: 'Change', signature: 'ay', body: [dconfChange(key, value)], timeoutMs };
  try {
    await session.call(call);
  } catch (cause) {
    if (cause instanceof BusError && /ServiceUnknown|NameHasNoOwner|Spawn/.test(cause.errorName))
      throw new ServiceError('unsupported', 'The settings of GNOME cannot be changed: install dconf-service', {
        cause,
      });
    throw cause;
  }
}

/**
 * One change as dconf takes it: `a{smv}` in the serialised form of GVariant, in which offsets of the ends follow the parts.
 * https://docs.gtk.org/glib/gvariant-specification-1.0.html
 */
export function dconfChange(key: string, value: boolean): Uint8Array {
  const name = Buffer.from(`${key}\0`);
  // An offset takes one byte only while the whole is at most 255 bytes long.
  if (name.length > 200) throw new Error(`the name of the setting is too long: ${key}`);
  // A variant begins at a multiple of 8: its value, a zero, its type; a last zero marks the maybe type as present.
  const entry = [
    ...name,
    ...new Uint8Array((8 - (name.length % 8)) % 8),
    value ? 1 : 0,
    0,
    'b'.charCodeAt(0),
    0,
    name.length,
  ];
  return Uint8Array.from([...entry, entry.length]);
}
