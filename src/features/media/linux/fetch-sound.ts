import { askServer } from '@hostler/http-socket/exchange.ts';
import type { ByteStream, ByteStreamEvents } from '@hostler/io/byte-stream.ts';
import { httpUrl, mostRedirects } from '../../../host/download.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { connectionProblem } from '../../../lib/connection-errors.ts';
import { codeOf, messageOf, ServiceError } from '../../../lib/errors.ts';
import { isOwnAddress } from '../play.target.ts';

export type FetchHost = Pick<LinuxHost, 'clock' | 'connect' | 'foreignAddresses' | 'scratch'>;

/** Half of what scratch files may take together. */
const mostBytes = 16 * 1024 * 1024;
const timeoutMs = 30_000;
const connectMs = 5000;
/** Addresses of one name. */
const mostTries = 4;

/**
 * Fetches a sound into a file, whose path it returns. The service fetches it, because a player follows what playlists name. Each connection,
 * also after a redirect, goes to an address that was checked: not by the runtime's `fetch`, which looks names up again and obeys the proxy
 * settings of the environment.
 */
export async function fetchSound(host: FetchHost, address: string, signal: AbortSignal): Promise<string> {
  const limit = AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]);
  try {
    let url = httpUrl(address, null);
    for (let redirect = 0; redirect <= mostRedirects; redirect += 1) {
      const { status, headers, body } = await get(host, url, limit);
      const location = headers.get('location');
      if (status < 300 || status > 399 || location === undefined) {
        if (status < 200 || status > 299) throw new Error(`its server answers ${status}`);
        if (!/^(?:identity)?$/i.test(headers.get('content-encoding') ?? ''))
          throw new Error('its response is compressed');
        return host.scratch.put(body, '.sound');
      }
      url = httpUrl(location, url);
    }
    throw new Error(`it redirects more than ${mostRedirects} times`);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError) throw error;
    const why = connectionProblem(String(codeOf(error)), messageOf(error)) ?? messageOf(error);
    throw new ServiceError('failed', `The address cannot be played: ${why}`, { cause: error });
  }
}

async function get(host: FetchHost, url: URL, signal: AbortSignal) {
  const isSecure = url.protocol === 'https:';
  const serverName = url.hostname.replace(/^\[|\]$/g, '');
  const port = Number(url.port || (isSecure ? 443 : 80));
  const addresses = await beforeAbort(host.foreignAddresses(serverName, port), signal);
  const found = addresses.filter((each) => !isOwnAddress(each));
  if (found.length === 0)
    throw new ServiceError('forbidden', 'The address is not played: it leads to this machine itself or to its link');
  const target = { port, tls: isSecure ? { serverName, ca: null, certificate: null } : null, webSocket: null };
  const connect = (events: ByteStreamEvents) => toFirst(found.slice(0, mostTries), events);
  const toFirst = async ([first = '', ...others]: string[], events: ByteStreamEvents): Promise<ByteStream> => {
    try {
      return await host.connect({ ...target, host: first }, events, connectMs);
    } catch (error) {
      if (others.length === 0) throw error;
      return await toFirst(others, events);
    }
  };
  const request = { method: 'GET', path: url.pathname + url.search, signal } as const;
  const server = { connect, clock: host.clock, host: url.host };
  return await askServer(server, { ...request, limitMs: timeoutMs, maxBytes: mostBytes });
}

/** A resolver has no limit of its own, and cannot be interrupted. */
async function beforeAbort<T>(running: Promise<T>, signal: AbortSignal): Promise<T> {
  const aborted = Promise.withResolvers<never>();
  const abort = () => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  try {
    return await Promise.race([running, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
