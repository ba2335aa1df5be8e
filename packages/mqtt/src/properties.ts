import type { PacketReader } from './packet-reader.ts';

/** Every property of version 5 by its kind. https://docs.oasis-open.org/mqtt/mqtt/v5.0/os/mqtt-v5.0-os.html#_Toc3901027 */
const byKind = {
  byte: [1, 23, 25, 36, 37, 40, 41, 42],
  short: [19, 33, 34, 35],
  long: [2, 17, 24, 39],
  varint: [11],
  text: [3, 8, 18, 21, 26, 28, 31],
  data: [9, 22],
  pair: [38],
} as const;
type Kind = keyof typeof byKind;
const kinds = new Map(Object.entries(byKind).flatMap(([kind, ids]) => ids.map((id) => [id as number, kind as Kind])));

/** Those that are used here. */
export const property = {
  messageExpiry: 2,
  contentType: 3,
  responseTopic: 8,
  correlation: 9,
  subscriptionId: 11,
  sessionExpiry: 17,
  serverKeepAlive: 19,
  willDelay: 24,
  reason: 31,
  receiveMaximum: 33,
  topicAlias: 35,
  maximumQos: 36,
  retainAvailable: 37,
  userProperty: 38,
  maximumPacketSize: 39,
} as const;

/** May occur more than once. */
const repeatable: ReadonlySet<number> = new Set([property.userProperty, property.subscriptionId]);

/** Properties of a packet by number; null: absent. */
export interface Properties {
  number(id: number): number | null;
  text(id: number): string | null;
  data(id: number): Uint8Array | null;
}

export const noProperties: Properties = { number: () => null, text: () => null, data: () => null };

/** Reads them from the packet; throws when one is unknown, repeated or too long. */
export function readProperties(packet: PacketReader): Properties {
  const reader = packet.part(packet.varint());
  if (reader.left() === 0) return noProperties;
  const values = new Map<number, number | string | Uint8Array>();
  const seen = new Set<number>();
  while (reader.left() > 0) {
    const id = reader.varint();
    if (seen.has(id) && !repeatable.has(id)) throw new Error(`property ${id} occurs twice`);
    seen.add(id);
    const kind = kinds.get(id);
    if (kind === undefined) throw new Error(`property ${id} is unknown`);
    // Of a pair both are read, and neither is used.
    if (kind === 'pair') void [reader.text(), reader.text()];
    else values.set(id, reader[kind]());
  }
  const of = <T>(id: number, isKind: (value: unknown) => value is T): T | null => {
    const value = values.get(id);
    return isKind(value) ? value : null;
  };
  return {
    number: (id) => of(id, (value) => typeof value === 'number'),
    text: (id) => of(id, (value) => typeof value === 'string'),
    data: (id) => of(id, (value) => value instanceof Uint8Array),
  };
}
