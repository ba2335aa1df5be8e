import { createBrowser } from '@hostler/mdns/browser.ts';
import { mdnsPort } from '@hostler/mdns/responses.ts';
import { type Clock, sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { serviceTypes } from './announcement.ts';
import { createPacketLimit, mdnsGroup, type OpenSocket } from './discovery.ts';
import { type FoundService, toFoundServices } from './found-services.ts';

export interface SearchParts {
  open: OpenSocket;
  /** One address of each interface to search through. */
  through: readonly string[];
  clock: Clock;
}

/** Packets get lost, and busy machines answer late. */
const askAfterMs = [0, 1000, 2000, 5000, 15_000];

/** The services that answer on the network within this time. */
export async function findServices({ open, through, clock }: SearchParts, forMs: number): Promise<FoundService[]> {
  const browser = createBrowser(serviceTypes, async (bytes) => socket.send(bytes));
  const isWithinLimit = createPacketLimit(() => clock.monotonic());
  const received = (bytes: Uint8Array) => {
    if (isWithinLimit()) browser.receive(bytes);
  };
  const socket = await open(mdnsGroup, mdnsPort, received).catch((error) => {
    throw new Error(`The network cannot be searched: UDP port ${mdnsPort} cannot be shared (${messageOf(error)})`);
  });
  socket.join(through);
  const cancels = askAfterMs.filter((ms) => ms < forMs).map((ms) => clock.after(ms, () => browser.ask()));
  await sleep(clock, forMs);
  for (const cancel of cancels) cancel();
  socket.close();
  return toFoundServices(browser.found());
}
