import { boundedText, fetchPlain } from '../host/plain-fetch.ts';

/** The only certificate that may authenticate it. `checkServerIdentity`: names do not count. */
export interface Vouching {
  ca: string;
  checkServerIdentity?(): undefined;
}

const timeoutMs = 15_000;
const maxBytes = 64 * 1024;

/**
 * Rejects when there is no response in time, or when it is not JSON. Redirects are not followed: the user trusts the address.
 * `vouching` null: the authorities that the system trusts.
 */
export async function postRemotely(
  url: string,
  body: object,
  userAgent: string,
  vouching: Vouching | null,
): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await fetchPlain(url, {
    method: 'POST',
    redirect: 'error',
    signal: AbortSignal.timeout(timeoutMs),
    headers: { 'Content-Type': 'application/json', 'User-Agent': userAgent },
    body: JSON.stringify(body),
    ...(vouching === null ? {} : { tls: vouching }),
  });
  const value = parsed(await boundedText(response, maxBytes));
  return { status: response.status, body: typeof value === 'object' && value !== null ? { ...value } : {} };
}

/** The runtime's error repeats words of the text, which the other machine chose. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('its response is not JSON');
  }
}
