import { linkAddresses } from '../../host/network.ts';
import { findServices } from '../../transports/discovery/find-services.ts';
import { toTargetGroups } from '../../transports/discovery/prometheus-targets.ts';
import type { CliContext } from '../context.ts';
import { UsageError } from '../exit.ts';
import type { CheckedService } from './discover.trust.ts';

export interface DiscoverOptions {
  /** The file format of Prometheus targets (file_sd). */
  prometheus?: boolean;
  timeout?: string;
}

const defaultSeconds = 3;

export async function discover(context: CliContext, { prometheus = false, timeout }: DiscoverOptions): Promise<void> {
  const { host, print, table, answer, command } = context;
  const seconds = timeout === undefined ? defaultSeconds : Number(timeout);
  if (!(seconds > 0 && seconds <= 600)) throw new UsageError('--timeout must be a number of seconds up to 600');
  const through = linkAddresses(host.network.addresses());
  if (through.length === 0) throw new Error('The network cannot be searched: no interface with an IPv4 address is up');

  const found = await findServices({ open: host.multicast, through, clock: host.clock }, seconds * 1000);
  if (prometheus) return print(JSON.stringify(toTargetGroups(found), null, 2));
  const { checkServices, certificateWarnings } = await import('./discover.trust.ts');
  const services = await checkServices(context, found);
  await answer(services, () => {
    if (services.length === 0) return print(`No service answered within ${seconds} s.`);
    table(['NAME', 'ADDRESS', 'VERSION', 'UUID', 'TLS', 'CERTIFICATE'], services.map(rowOf), { isWhole: true });
  });
  const alarm = certificateWarnings(services, command);
  if (alarm !== null) throw new Error(alarm);
}

const rowOf = ({ name, address, tls_address, certificate, version, uuid }: CheckedService) => [
  name,
  ...[address, version, uuid, tls_address, certificate].map((fact) => fact || '-'),
];
