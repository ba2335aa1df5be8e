import { defineAction } from '../../core/action.ts';
import { definePart, partOf } from '../../core/part.ts';
import { type SendBroadcast, sendBroadcast } from '../../host/multicast.ts';
import { type InterfaceAddress, isOnLink } from '../../host/network.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import type { WakeInput, WakeOutput } from './network.schema.ts';
import { networkBroadcast } from './networks.ipv4.ts';

const name = 'network.wake';
const limitedBroadcast = '255.255.255.255';
const usualPort = 9;
/** A datagram may get lost, and there is no answer. */
const times = 3;
const mostNetworks = 32;

interface Connected {
  interface: string;
  address: string;
  broadcast: string;
}

export const networkWake = defineAction<WakeInput, WakeOutput>({
  name,
  description: 'Wakes another machine on a network this one is connected to (wake-on-LAN)',
  input: async () => (await import('./network.schema.ts')).wakeInputSchema,
  output: async () => (await import('./network.schema.ts')).wakeOutputSchema,
  scopes: ['control'],
  effect: 'write',
  example: { mac: 'aa:bb:cc:dd:ee:ff' },
  wire: { event: 'NETWORK_WAKE', reply: 'NETWORK_WOKEN' },
  unavailable: async ({ host }) => (connectedTo(host.network.addresses()).length === 0 ? noNetwork : null),
  async run({ mac, broadcast, port }, { host }) {
    const bytes = macBytes(mac);
    const connected = connectedTo(host.network.addresses());
    if (connected.length === 0) throw new ServiceError('failed', noNetwork);
    const chosen = targets(connected, broadcast ?? null);
    const packet = magicPacket(bytes);
    const send = await partOf(host, networkBroadcasts);
    const sent: WakeOutput['sent'] = [];
    let problem = '';
    for (const { interface: through, address: from, broadcast: address } of chosen) {
      try {
        for (let time = 0; time < times; time++) await send(packet, { from, address, port: port ?? usualPort });
        sent.push({ interface: through, broadcast: address });
      } catch (error) {
        problem = messageOf(error);
      }
    }
    if (sent.length === 0) throw new ServiceError('failed', `The packet could not be sent: ${problem}`);
    const words = [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(':');
    return { message: `The wake-up call to ${words} was sent; machines do not answer it`, data: { mac: words, sent } };
  },
});

export const networkBroadcasts = definePart<SendBroadcast>({
  name: 'networks.broadcast',
  create: () => sendBroadcast,
  absent: async () => {
    throw new Error('A recording is connected to no network');
  },
});

const noNetwork = 'This machine is not connected to an IPv4 network with a broadcast address';

/** Networks of our own links, each with its broadcast address. */
function connectedTo(addresses: readonly InterfaceAddress[]): Connected[] {
  const found = addresses.filter(isOnLink).flatMap((entry) => {
    const broadcast = entry.family === 4 ? networkBroadcast(entry.address, entry.netmask ?? '') : null;
    return broadcast === null ? [] : [{ interface: entry.interface, address: entry.address, broadcast }];
  });
  return found.slice(0, mostNetworks);
}

/** Packets for other networks are refused: routers that forward them would reach foreign machines. */
function targets(connected: Connected[], wanted: string | null): Connected[] {
  if (wanted === null) return connected;
  if (wanted === limitedBroadcast) return connected.map((network) => ({ ...network, broadcast: limitedBroadcast }));
  const chosen = connected.filter(({ broadcast }) => broadcast === wanted);
  if (chosen.length > 0) return chosen;
  const known = [...new Set(connected.map(({ broadcast }) => broadcast)), limitedBroadcast].join(', ');
  throw new ServiceError(
    'invalid',
    `${name}: ${wanted} is not the broadcast address of a network this machine is connected to; possible: ${known}`,
  );
}

function macBytes(mac: string): Uint8Array {
  const bytes = Uint8Array.from(mac.replace(/[:-]/g, '').match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
  // The lowest bit marks group addresses; no card has such an address, nor all zeros.
  if (((bytes[0] ?? 0) & 1) === 1 || bytes.every((byte) => byte === 0))
    throw new ServiceError('invalid', `${name}: ${mac} is not the address of a single machine`);
  return bytes;
}

/** Six bytes of ones, and sixteen times the address. */
function magicPacket(mac: Uint8Array): Uint8Array {
  const packet = new Uint8Array(6 + 16 * 6).fill(0xff);
  for (let time = 1; time <= 16; time++) packet.set(mac, 6 * time);
  return packet;
}
