import { boundedText, fetchPlain } from './plain-fetch.ts';

export interface DownloadLimits {
  timeoutMs: number;
  maxBytes: number;
}

/** The text behind an http(s) address. Throws when it is not a 2xx response, too large or too late. */
export type Download = (url: string, limits: DownloadLimits) => Promise<string>;

export function createDownload(userAgent: string): Download {
  return async (url, { timeoutMs, maxBytes }) => {
    const response = await fetchFollowing(url, {
      signal: AbortSignal.timeout(timeoutMs),
      headers: { accept: 'application/json', 'user-agent': userAgent },
    });
    if (!response.ok) throw new Error(`it answered ${response.status}`);
    return await boundedText(response, maxBytes);
  };
}

export const mostRedirects = 5;

/**
 * An HTTP request that follows a few redirects. A redirect never lowers the security: no files or other schemes, and nothing unencrypted
 * after something encrypted, which could also reach this machine.
 */
async function fetchFollowing(address: string, init: BunFetchRequestInit): Promise<Response> {
  let url = httpUrl(address, null);
  for (let redirect = 0; redirect <= mostRedirects; redirect += 1) {
    const response = await fetchPlain(url, { ...init, redirect: 'manual' });
    const location = response.headers.get('location');
    if (response.status < 300 || response.status > 399 || location === null) return response;
    await response.body?.cancel();
    url = httpUrl(location, url);
  }
  throw new Error(`it redirects more than ${mostRedirects} times`);
}

/** Throws on what a redirect must not lead to. `from`: null: the first address. */
export function httpUrl(address: string, from: URL | null): URL {
  const url = URL.parse(address, from ?? undefined);
  const shown = address.slice(0, 200).replace(/[?#].*$/s, '');
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(
      from === null
        ? `${shown} is not an http or https address`
        : `it redirects to ${shown}, which is not a web address`,
    );
  if (from?.protocol === 'https:' && url.protocol !== 'https:')
    throw new Error(`it redirects from an encrypted address to ${shown}, which is not encrypted`);
  return url;
}
