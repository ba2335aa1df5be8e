import { canHoldKey, makeKey, type StoredSession, sign } from './session-key.ts';

/** A service refused, as opposed to not answering. */
export class Refused extends Error {
  readonly status: number;
  constructor(sentence: string, status: number) {
    super(sentence);
    this.status = status;
  }
}

/** The service does not know this browser or its token; other refusals may be temporary. */
export const isFinal = (thrown: unknown): thrown is Refused =>
  thrown instanceof Refused && (thrown.status === 401 || thrown.status === 403);

export async function post<T>(url: string, body: object, headers: HeadersInit = {}): Promise<T> {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });
  const result = await response.json();
  if (!response.ok) throw new Refused(result.error, response.status);
  return result;
}

/** Opens a session of this browser with the service below this address. The key resumes it; null: none. */
export async function logIn<T>(
  base: string,
  credential: { code: string } | { token: string },
  stay: boolean,
): Promise<{ signedIn: T; privateKey: CryptoKey | null }> {
  const pair = canHoldKey ? await makeKey() : null;
  const headers: HeadersInit = 'token' in credential ? { 'X-API-Token': credential.token } : {};
  const body = { code: 'code' in credential ? credential.code : null, public_key: pair?.publicKey, stay };
  return { signedIn: await post<T>(`${base}/api/login`, body, headers), privateKey: pair?.privateKey ?? null };
}

/** A new token for a session, by proof of its key. */
export async function resume<T>(base: string, stored: StoredSession): Promise<T> {
  const { challenge } = await post<{ challenge: string }>(`${base}/api/sessions/challenge`, {});
  const signature = await sign(stored, challenge);
  return await post<T>(`${base}/api/sessions`, { id: stored.id, challenge, signature });
}
