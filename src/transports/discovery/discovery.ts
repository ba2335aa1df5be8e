import { createAdvertiser } from '@hostler/mdns/advertiser.ts';
import type { Links, MdnsPeer } from '@hostler/mdns/links.ts';
import { mdnsPort } from '@hostler/mdns/responses.ts';
import { messageOf } from '../../lib/errors.ts';
import { createSequence } from '../../lib/later.ts';
import type { Log } from '../../lib/log.ts';
import { type AnnouncedIdentity, announcementOf } from './announcement.ts';

export const mdnsGroup = '224.0.0.251';
/** Further ones are not read: any machine of the link may send them. */
const mostPacketsPerSecond = 200;

export interface DiscoverySocket {
  join(addresses: readonly string[]): void;
  send: Links['send'];
  reply: Links['reply'];
  close(): void;
}

export type OpenSocket = (
  group: string,
  port: number,
  received: (bytes: Uint8Array, from: MdnsPeer) => void,
) => Promise<DiscoverySocket>;

/** The announcement, and the addresses of the interfaces to send it through. */
export interface Presence {
  identity: AnnouncedIdentity;
  through: readonly string[];
}

export interface DiscoveryParts extends Pick<Links, 'after' | 'monotonic' | 'random'> {
  open: OpenSocket;
  /** null: nothing to announce, or no network. */
  presence(): Presence | null;
  log: Log;
}

export interface Discovery {
  /** Checks again whether, where and as what to announce. */
  refresh(): void;
  stop(): Promise<void>;
}

/** Returns whether to read a packet that came now. */
export function createPacketLimit(monotonic: () => number): () => boolean {
  let second = 0;
  let taken = 0;
  return () => {
    const now = Math.floor(monotonic() / 1000);
    if (now !== second) [second, taken] = [now, 0];
    taken += 1;
    return taken <= mostPacketsPerSecond;
  };
}

export function createDiscovery({ open, presence, log, after, monotonic, random }: DiscoveryParts): Discovery {
  let socket: DiscoverySocket | null = null;
  let said = '';
  let complained = '';
  let stopped = false;
  const inTurn = createSequence();
  /** A packet from the network must not end the service. */
  const guarded = (work: () => void) => {
    try {
      work();
    } catch (error) {
      log.error('discovery: an unexpected error', error);
    }
  };
  const advertiser = createAdvertiser(
    {
      send: async (bytes) => socket?.send(bytes),
      reply: async (bytes, to) => socket?.reply(bytes, to),
      after: (ms, callback) => after(ms, () => guarded(callback)),
      monotonic,
      random,
    },
    {
      established: (name) => log.info(`discovery: found on the network under the name ${JSON.stringify(name)}`),
      exhausted: (pauseMs) =>
        log.warn(`discovery: every name is in use on the network; trying again in ${pauseMs / 60_000} min`),
    },
  );
  const isWithinLimit = createPacketLimit(monotonic);
  const received = (bytes: Uint8Array, from: MdnsPeer) => {
    if (isWithinLimit()) guarded(() => advertiser.receive(bytes, from));
  };

  const leave = async () => {
    const leaving = socket;
    if (leaving === null) return;
    said = '';
    if (stopped) await advertiser.withdraw();
    else advertiser.pause();
    socket = null;
    leaving.close();
  };

  const update = async () => {
    const now = stopped ? null : presence();
    if (now === null) return await leave();
    try {
      socket ??= await open(mdnsGroup, mdnsPort, received);
    } catch (error) {
      const problem = messageOf(error);
      if (problem !== complained)
        log.warn(`discovery: cannot announce this machine on the network: ${problem} (UDP port ${mdnsPort})`);
      complained = problem;
      return;
    }
    // An interface that was removed and came back looks unchanged, but must be joined again.
    socket.join(now.through);
    const saying = JSON.stringify(now);
    if (saying === said) return;
    said = saying;
    advertiser.advertise((attempt) => announcementOf(now.identity, attempt));
  };

  const enqueueUpdate = () => inTurn(update).catch((error) => log.error('discovery: an update failed', error));

  return {
    refresh: () => void enqueueUpdate(),
    async stop() {
      stopped = true;
      await enqueueUpdate();
    },
  };
}
