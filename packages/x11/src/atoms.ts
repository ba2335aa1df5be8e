import type { X11 } from './connection.ts';

const internAtom = 16;

/** The numbers by which the server knows these names. */
export async function internAtoms<Name extends string>(x11: X11, names: readonly Name[]): Promise<Map<Name, number>> {
  const replies = await Promise.all(names.map((name) => x11.ask(internAtom, 0, atomRequest(name))));
  return new Map(names.map((name, index) => [name, replies[index]?.readUInt32LE(8) ?? 0]));
}

function atomRequest(name: string): Buffer {
  return Buffer.concat([Buffer.from([name.length & 0xff, name.length >> 8, 0, 0]), Buffer.from(name, 'latin1')]);
}
