import { linkAddresses } from '../host/network.ts';
import { sleep } from '../lib/clock.ts';
import { messageOf } from '../lib/errors.ts';
import { mdnsPort } from '../protocols/mdns/answers.ts';
import { createBrowser } from '../protocols/mdns/browser.ts';
import { mdnsGroup } from '../transports/discovery/discovery.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { table } from './output.ts';

export interface DiscoverOptions {
  json?: boolean;
  timeout?: string;
}

const defaultSeconds = 3;
/** Packets get lost, and who is busy answers later. */
const askAfterMs = [0, 1000, 2000, 5000, 15_000];

/** Lists the services on the network. */
export async function discover({ host, print }: CliContext, { json = false, timeout }: DiscoverOptions): Promise<void> {
  const seconds = timeout === undefined ? defaultSeconds : Number(timeout);
  if (!(seconds > 0 && seconds <= 600)) throw new UsageError('--timeout must be a number of seconds up to 600');
  const through = linkAddresses(host.network.addresses());
  if (through.length === 0) throw new Error('The network cannot be searched: no interface with an IPv4 address is up');

  const browser = createBrowser(async (bytes) => socket.send(bytes));
  const socket = await host.multicast(mdnsGroup, mdnsPort, browser.heard).catch((error) => {
    throw new Error(`The network cannot be searched: UDP port ${mdnsPort} cannot be shared (${messageOf(error)})`);
  });
  socket.join(through);
  const cancels = askAfterMs.filter((ms) => ms < seconds * 1000).map((ms) => host.clock.after(ms, () => browser.ask()));
  await sleep(host.clock, seconds * 1000);
  for (const cancel of cancels) cancel();
  socket.close();

  const services = browser.found();
  if (json) return print(JSON.stringify(services, null, 2));
  if (services.length === 0) return print(`No service answered within ${seconds} s.`);
  print(
    table(
      ['NAME', 'ADDRESS', 'VERSION', 'UUID'],
      services.map(({ name, address, version, uuid }) => [name, address || '-', version || '-', uuid || '-']),
    ),
  );
}
