import { type Bus, type BusCall, BusError, type Dbus } from '@hostler/dbus/dbus.ts';
import type { BusReply } from './recording.ts';

export type BusName = keyof Dbus;

/** The real bus; `answers` records its first answer to each call. */
export function recordBus(name: BusName, bus: Bus, replies: Map<string, BusReply>): Bus {
  const keep = (call: BusCall, reply: BusReply) => {
    const key = keyOf(name, call);
    if (!replies.has(key)) replies.set(key, reply);
  };
  return {
    ...bus,
    async call(call) {
      try {
        const body = await bus.call(call);
        keep(call, { body });
        return body;
      } catch (error) {
        if (error instanceof BusError) keep(call, { error: error.errorName, message: error.message });
        throw error;
      }
    },
  };
}

/** A bus that replays the recorded answers. It sends no signals. */
export function replayBus(name: BusName, replies: ReadonlyMap<string, BusReply>): Bus {
  return {
    async call(call) {
      const reply = replies.get(keyOf(name, call));
      if (reply === undefined)
        throw new BusError(
          'org.freedesktop.DBus.Error.ServiceUnknown',
          `The recording of this machine has no answer of ${call.destination} to ${call.interface}.${call.member}`,
        );
      if ('error' in reply) throw new BusError(reply.error, reply.message);
      return structuredClone(reply.body);
    },
    subscribe: async () => () => {},
    onReconnected: () => () => {},
    close: () => {},
  };
}

const keyOf = (bus: BusName, { destination, path, interface: face, member, body = [] }: BusCall) =>
  `${bus} ${destination} ${path} ${face}.${member} ${JSON.stringify(body.map(toPlain))}`;

/** JSON has neither bytes nor long numbers. */
export function toPlain(value: unknown): unknown {
  if (typeof value === 'bigint') return { $number: String(value) };
  if (value instanceof Uint8Array) return { $bytes: Buffer.from(value).toString('base64') };
  if (Array.isArray(value)) return value.map(toPlain);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, entry]) => [key, toPlain(entry)]));
}

export function fromPlain(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(fromPlain);
  if (value === null || typeof value !== 'object') return value;
  const entries = Object.entries(value);
  const [[key, only] = [], ...others] = entries;
  if (others.length === 0 && typeof only === 'string') {
    if (key === '$number' && /^-?\d+$/.test(only)) return BigInt(only);
    if (key === '$bytes') return new Uint8Array(Buffer.from(only, 'base64'));
  }
  // Without a prototype, as the D-Bus client creates them: untrusted names are never inherited properties.
  return Object.assign(
    Object.create(null),
    Object.fromEntries(entries.map(([name, entry]) => [name, fromPlain(entry)])),
  );
}
