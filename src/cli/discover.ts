import { linkAddresses } from '../host/network.ts';
import { findServices } from '../transports/discovery/find-services.ts';
import { toTargetGroups } from '../transports/discovery/prometheus-targets.ts';
import type { CliContext } from './context.ts';
import { UsageError } from './exit.ts';
import { table } from './output.ts';

export interface DiscoverOptions {
  json?: boolean;
  /** What Prometheus reads from a file (file_sd). */
  prometheus?: boolean;
  timeout?: string;
}

const defaultSeconds = 3;

/** Lists the services on the network. */
export async function discover(
  { host, print }: CliContext,
  { json = false, prometheus = false, timeout }: DiscoverOptions,
): Promise<void> {
  const seconds = timeout === undefined ? defaultSeconds : Number(timeout);
  if (!(seconds > 0 && seconds <= 600)) throw new UsageError('--timeout must be a number of seconds up to 600');
  const through = linkAddresses(host.network.addresses());
  if (through.length === 0) throw new Error('The network cannot be searched: no interface with an IPv4 address is up');

  const services = await findServices({ open: host.multicast, through, clock: host.clock }, seconds * 1000);
  if (prometheus) return print(JSON.stringify(toTargetGroups(services), null, 2));
  if (json) return print(JSON.stringify(services, null, 2));
  if (services.length === 0) return print(`No service answered within ${seconds} s.`);
  print(
    table(
      ['NAME', 'ADDRESS', 'VERSION', 'UUID'],
      services.map(({ name, address, version, uuid }) => [name, address || '-', version || '-', uuid || '-']),
    ),
  );
}
