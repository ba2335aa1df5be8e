import type { Host } from '../../host/host.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { KnownNames } from './origin-check.ts';

const rememberMs = 10_000;

/** The names of this machine. They change with the network, so they are cached only briefly. */
export function createKnownNames(
  { environment, network, clock }: Pick<Host, 'environment' | 'network' | 'clock'>,
  settings: () => Settings,
): () => KnownNames {
  let known: KnownNames | null = null;
  let security: Settings['security'] | null = null;
  let readAt = 0;
  return () => {
    const now = clock.monotonic();
    const current = settings().security;
    if (known !== null && security === current && now - readAt <= rememberMs) return known;
    readAt = now;
    try {
      known = read(current);
      security = current;
    } catch (error) {
      // Out of descriptors, say: who was known a moment ago still is.
      if (known === null) throw error;
    }
    return known;
  };

  function read({ allowedHosts, allowedOrigins }: Settings['security']): KnownNames {
    const hostname = environment.hostname().toLowerCase();
    const hostNames = [hostname, hostname.split('.')[0] ?? hostname].filter((name) => name !== 'localhost');
    const addresses = network.addresses().map(({ address }) => address.toLowerCase());
    return {
      names: new Set(['localhost', '127.0.0.1', '::1', ...hostNames, ...addresses]),
      hostNames,
      searchDomains: network.searchDomains(),
      allowedHosts,
      allowedOrigins,
    };
  }
}
