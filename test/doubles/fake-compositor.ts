import type { ConnectLocal } from '@hostler/io/local-socket.ts';

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

/** A compositor that offers these globals, answers, and records all other requests. */
export function fakeCompositor(kinds: string[]) {
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
