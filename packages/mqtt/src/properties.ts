import type { PacketReader } from './packet-reader.ts';

type Kind = 'byte' | 'short' | 'long' | 'varint' | 'text' | 'data' | 'pair';

/** Every property of version 5 by its number. https://docs.oasis-open.org/mqtt/mqtt/v5.0/os/mqtt-v5.0-os.html#_Toc3901027 */
const kinds: Record<number, Kind> = {
  1: 'byte',
  2: 'long',
  3: 'text',
  8: 'text',
  9: 'data',
  11: 'varint',
  17: 'long',
  18: 'text',
  19: 'short',
  21: 'text',
  22: 'data',
  23: 'byte',
  24: 'long',
  25: 'byte',
  26: 'text',
  28: 'text',
  31: 'text',
  33: 'short',
  34: 'short',
  35: 'short',
  36: 'byte',
  37: 'byte',
  38: 'pair',
  39: 'long',
  40: 'byte',
  41: 'byte',
  42: 'byte',
};

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
  const numbers = new Map<number, number>();
  const texts = new Map<number, string>();
  const data = new Map<number, Uint8Array>();
  const seen = new Set<number>();
  while (reader.left() > 0) {
    const id = reader.varint();
    if (seen.has(id) && !repeatable.has(id)) throw new Error(`property ${id} occurs twice`);
    seen.add(id);
    switch (kinds[id]) {
      case 'byte':
        numbers.set(id, reader.byte());
        break;
      case 'short':
        numbers.set(id, reader.short());
        break;
      case 'long':
        numbers.set(id, reader.long());
        break;
      case 'varint':
        numbers.set(id, reader.varint());
        break;
      case 'text':
        texts.set(id, reader.text());
        break;
      case 'data':
        data.set(id, reader.data());
        break;
      case 'pair':
        reader.text();
        reader.text();
        break;
      default:
        throw new Error(`property ${id} is unknown`);
    }
  }
  return {
    number: (id) => numbers.get(id) ?? null,
    text: (id) => texts.get(id) ?? null,
    data: (id) => data.get(id) ?? null,
  };
}
