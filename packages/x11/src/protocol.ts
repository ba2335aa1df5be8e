/** Requests of the core protocol. https://www.x.org/releases/X11R7.7/doc/xproto/x11protocol.html#Encoding::Requests */
export const requests = {
  createWindow: 1,
  changeWindowAttributes: 2,
  getGeometry: 14,
  internAtom: 16,
  getAtomName: 17,
  changeProperty: 18,
  deleteProperty: 19,
  getProperty: 20,
  setSelectionOwner: 22,
  getSelectionOwner: 23,
  convertSelection: 24,
  sendEvent: 25,
  translateCoordinates: 40,
  getImage: 73,
  queryExtension: 98,
} as const;

/** Events of it, and the one of all later extensions. */
export const events = {
  destroyNotify: 17,
  configureNotify: 22,
  propertyNotify: 28,
  selectionClear: 29,
  selectionRequest: 30,
  selectionNotify: 31,
  genericEvent: 35,
} as const;

/** Which events of a window are wanted: an attribute, and its values. */
export const eventMask = 1 << 11;
export const structureNotify = 1 << 17;
export const propertyChange = 1 << 22;

/** Without the bit of events that another client sent. */
export const eventKind = (event: Buffer): number => (event[0] ?? 0) & 0x7f;

/** Numbers of a request, one word each. */
export function x11Words(...values: number[]): Buffer {
  const bytes = Buffer.alloc(4 * values.length);
  for (const [index, value] of values.entries()) bytes.writeUInt32LE(value >>> 0, 4 * index);
  return bytes;
}

/** A name as requests carry it, with its length. */
export const x11Name = (name: string): Buffer =>
  Buffer.concat([Buffer.from([name.length & 0xff, name.length >> 8, 0, 0]), Buffer.from(name, 'latin1')]);

/** The numbers by which the server knows these names. `onlyIfExists`: 0 for one that no program has used yet. */
export async function internAtoms<Name extends string>(
  x11: { ask(opcode: number, detail: number, content: Uint8Array): Promise<Buffer> },
  names: readonly Name[],
  onlyIfExists = false,
): Promise<Map<Name, number>> {
  const replies = await Promise.all(
    names.map((name) => x11.ask(requests.internAtom, Number(onlyIfExists), x11Name(name))),
  );
  return new Map(names.map((name, index) => [name, replies[index]?.readUInt32LE(8) ?? 0]));
}
