import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { boundedBytes, fetchPlain } from '../../../host/plain-fetch.ts';
import { connectionProblem } from '../../../lib/connection-errors.ts';
import { codeOf, messageOf, ServiceError } from '../../../lib/errors.ts';
import { isOwnAddress } from '../play.target.ts';

export type FetchHost = Pick<LinuxHost, 'connect' | 'isOurPeer' | 'network' | 'scratch'>;

/** Half of what scratch files may take together. */
const mostBytes = 16 * 1024 * 1024;
const timeoutMs = 30_000;

/**
 * Fetches a sound into a file, whose path it returns. The service fetches it, because a player follows what playlists name, with protocols that
 * ignore a proxy. The proxy checks the address of each connection, also after a redirect.
 */
export async function fetchSound(host: FetchHost, url: string, signal: AbortSignal): Promise<string> {
  const own = new Set(host.network.addresses().map(({ address }) => address));
  let leadsHere = false;
  const { connect, isOurPeer } = host;
  const { openCheckedProxy } = await import('./checked-proxy.ts');
  const proxy = openCheckedProxy({
    ...{ connect, isOurPeer, lookUp: (await import('../../../host/outgoing.ts')).lookUp },
    isRefused(address) {
      leadsHere = isOwnAddress(address) || own.has(address);
      return leadsHere;
    },
  });
  try {
    const response = await fetchPlain(url, {
      proxy: `http://127.0.0.1:${proxy.port}`,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    if (!response.ok) throw new Error(`its server answers ${response.status}`);
    return host.scratch.put(await boundedBytes(response, mostBytes), '.sound');
  } catch (error) {
    signal.throwIfAborted();
    if (leadsHere)
      throw new ServiceError('forbidden', 'The address is not played: it leads to this machine itself or to its link');
    if (error instanceof ServiceError) throw error;
    const why = connectionProblem(String(codeOf(error)), messageOf(error)) ?? messageOf(error);
    throw new ServiceError('failed', `The address cannot be played: ${why}`, { cause: error });
  } finally {
    proxy.close();
  }
}
