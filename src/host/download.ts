import { fetchFollowing } from './follow-redirects.ts';
import { boundedText } from './plain-fetch.ts';

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
