import { ownKey } from './base-path.ts';

/** A session in the storage of this browser. The key signs and cannot be exported. */
export interface StoredSession {
  id: string;
  /** Else it belongs to one tab. */
  stay: boolean;
  privateKey: CryptoKey;
}

const algorithm = { name: 'ECDSA', namedCurve: 'P-256' };
/** Only the id of the session; it grants no access. */
const marker = ownKey('hostler-session');
const store = 'sessions';
/** See keepInTab. */
const tabMarker = ownKey('hostler-tab');

/** Browsers give keys to pages of this machine and to those that came over TLS. */
export const canHoldKey = isSecureContext && crypto.subtle !== undefined;

export async function makeKey(): Promise<{ privateKey: CryptoKey; publicKey: string }> {
  const { privateKey, publicKey } = await crypto.subtle.generateKey(algorithm, false, ['sign']);
  return { privateKey, publicKey: base64url(await crypto.subtle.exportKey('raw', publicKey)) };
}

/** src/access/sessions/session-proof.ts reads the same. */
export async function sign({ privateKey, id }: StoredSession, challenge: string): Promise<string> {
  const text = new TextEncoder().encode(`hostler-browser-session-2\n${location.origin}\n${id}\n${challenge}`);
  return base64url(await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, privateKey, text));
}

/** Known at once, so that a page without one shows its form at once. */
export const storedId = (): string | null => sessionStorage.getItem(marker) ?? localStorage.getItem(marker);

export async function keep(session: StoredSession): Promise<void> {
  (session.stay ? localStorage : sessionStorage).setItem(marker, session.id);
  await putKey(session);
}

/**
 * Without keys the token itself is stored, for this tab. A client that reads the storage of a page over plain HTTP can read its traffic as well,
 * and a program that takes the port of a stopped service gets nothing: such tokens end with the process that issued them.
 */
export function keepInTab(signedIn: object): void {
  sessionStorage.setItem(tabMarker, JSON.stringify(signedIn));
}

export function storedInTab(): object | null {
  try {
    return JSON.parse(sessionStorage.getItem(tabMarker) ?? 'null');
  } catch {
    // Another program on this port may have left it.
    sessionStorage.removeItem(tabMarker);
    return null;
  }
}

/** A key on its own, such as that for another machine. */
export async function putKey(session: StoredSession): Promise<void> {
  await inStore('readwrite', (sessions) => sessions.put(session));
}

export async function dropKey(id: string): Promise<void> {
  if (canHoldKey) await inStore('readwrite', (sessions) => sessions.delete(id)).catch(() => {});
}

export async function storedSession(id: string): Promise<StoredSession | null> {
  const found: StoredSession | undefined = await inStore('readonly', (sessions) => sessions.get(id));
  return found ?? null;
}

/** Runs even after a failure before. */
export async function forget(id: string | null): Promise<void> {
  localStorage.removeItem(marker);
  sessionStorage.removeItem(marker);
  sessionStorage.removeItem(tabMarker);
  if (id !== null) await dropKey(id);
}

async function inStore<T>(mode: IDBTransactionMode, work: (sessions: IDBObjectStore) => IDBRequest<T>): Promise<T> {
  const opening = indexedDB.open('hostler', 1);
  opening.onupgradeneeded = () => void opening.result.createObjectStore(store, { keyPath: 'id' });
  const database = await settled(opening);
  try {
    return await settled(work(database.transaction(store, mode).objectStore(store)));
  } finally {
    database.close();
  }
}

const settled = <T>(request: IDBRequest<T>): Promise<T> =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

const base64url = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
