import { beginningOf, fetchPlain, nothingOf } from './plain-fetch.ts';

/** Sends bytes to an http(s) address that the user chose, and returns the response. */
export type Post = (order: PostOrder) => Promise<PostResponse>;

export interface PostOrder {
  url: string;
  method?: 'POST' | 'PUT';
  headers: Record<string, string>;
  body: Uint8Array<ArrayBuffer>;
  /** Certificates (PEM) of the authorities to trust instead of those of the system; null: those of the system. */
  authorities: string | null;
  timeoutMs: number;
  signal: AbortSignal;
  /** Only the status matters: the body is not read. */
  isBodyIgnored?: boolean;
}

export interface PostResponse {
  status: number;
  header(name: string): string | null;
  /** The body, up to a limit: it is for people, or a few numbers. */
  body: Uint8Array;
}

const maxBytes = 64 * 1024;

/** Redirects are not followed: the data may contain a secret, and the user trusts this address only. */
export function createPost(userAgent: string): Post {
  return async ({ url, method = 'POST', headers, body, authorities, timeoutMs, signal, isBodyIgnored = false }) => {
    const response = await fetchPlain(url, {
      method,
      redirect: 'manual',
      headers: { 'User-Agent': userAgent, ...headers },
      body,
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
      ...(authorities === null ? {} : { tls: { ca: authorities } }),
    });
    return {
      status: response.status,
      header: (name) => response.headers.get(name),
      body: isBodyIgnored ? await nothingOf(response) : await beginningOf(response, maxBytes),
    };
  };
}
