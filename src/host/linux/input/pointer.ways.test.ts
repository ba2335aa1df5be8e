import { expect, test } from 'bun:test';
import { fakeBus, fakeHost, memoryStorage } from '../../../../test/doubles/fake-host.ts';
import type { ConnectLocal } from '../../../lib/local-socket.ts';
import { lookForPointer } from './pointer.ways.ts';

const seatKind = 'wl_seat';
const virtualKind = 'zwlr_virtual_pointer_manager_v1';

const words = (...values: number[]) => {
  const bytes = Buffer.alloc(values.length * 4);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value, index * 4);
  return bytes;
};
const text = (value: string) => {
  const bytes = Buffer.alloc(4 + Math.ceil((value.length + 1) / 4) * 4);
  bytes.writeUInt32LE(value.length + 1, 0);
  bytes.write(value, 4);
  return bytes;
};
const event = (object: number, opcode: number, content: Buffer) =>
  Buffer.concat([words(object, ((content.length + 8) << 16) | opcode), content]);

/** A compositor that offers these, answers, and notes what else is asked of it. */
function compositor(kinds: string[]) {
  const asked: string[] = [];
  const counts = { opened: 0, closed: 0 };
  const connectLocal: ConnectLocal = async (_path, { data }) => {
    counts.opened += 1;
    const bound = new Map<number, string>();
    const registries = new Set<number>();
    const answer = (bytes: Buffer) => {
      for (let at = 0; at < bytes.length; at += bytes.readUInt16LE(at + 6)) {
        const [object, opcode, first] = [bytes.readUInt32LE(at), bytes.readUInt16LE(at + 4), at + 8];
        if (object === 1 && opcode === 0) data(event(bytes.readUInt32LE(first), 0, words(0)));
        else if (object === 1) {
          const registry = bytes.readUInt32LE(first);
          registries.add(registry);
          for (const [name, kind] of kinds.entries())
            data(event(registry, 0, Buffer.concat([words(name), text(kind), words(1)])));
        } else if (registries.has(object)) {
          const id = bytes.readUInt32LE(at + bytes.readUInt16LE(at + 6) - 4);
          bound.set(id, kinds[bytes.readUInt32LE(first)] ?? '');
        } else asked.push(`${bound.get(object)} ${opcode}`);
      }
    };
    return {
      send: (bytes) => queueMicrotask(() => answer(Buffer.from(bytes))),
      close: () => {
        counts.closed += 1;
      },
    };
  };
  return { asked, counts, connectLocal };
}

const hostWith = (connectLocal: ConnectLocal, session = fakeBus({})) =>
  fakeHost({
    connectLocal,
    dbus: { session, system: session },
    storage: memoryStorage(),
    paths: { config: '/c', state: '/s', runtime: null },
    session: { find: async () => ({ variables: {}, wayland: '/run/wayland-0', x11: null }), watch: () => () => {} },
  });

test('whether there is a virtual pointer is seen without making one', async () => {
  const { asked, counts, connectLocal } = compositor([seatKind, virtualKind]);
  await lookForPointer(hostWith(connectLocal));
  expect(asked).toEqual([]);
  expect(counts).toEqual({ opened: 1, closed: 1 });
});

test("whether there is GNOME's remote desktop is seen without beginning a session", async () => {
  const { counts, connectLocal } = compositor([seatKind]);
  const session = fakeBus({
    'org.freedesktop.DBus.Properties.Get': () => [1],
    'org.gnome.Mutter.RemoteDesktop.CreateSession': () => ['/session'],
  });
  await lookForPointer(hostWith(connectLocal, session));
  expect(session.calls.map(({ member }) => member)).toEqual(['Get']);
  expect(counts.closed).toBe(counts.opened);
});
