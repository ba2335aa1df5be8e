import { askInTheClear, askSealed, NoResponse } from '../../src/lib/pairing/pairing-client.ts';
import { basePath } from './base-path.ts';
import { enter, offersEncryption, type SignedIn } from './session.ts';
import { canHoldKey, makeKey } from './session-key.ts';

export interface PairingWish {
  /** Empty: the service derives a name from the browser. */
  name: string;
  scopes: readonly string[];
  /** Empty: the machine shows a prompt. */
  code: string;
  stay: boolean;
}

/** The user cancelled. */
class Left extends Error {}

/** Requests a session for this browser. Returns the error; empty: signed in. */
export async function askForAccess(
  { stay, ...wish }: PairingWish,
  show: (digits: string) => void,
  signal: AbortSignal,
): Promise<string> {
  try {
    const pair = canHoldKey ? await makeKey() : null;
    const browser = { public_key: pair?.publicKey ?? null, stay };
    const parts = { post, show, sleep: (ms: number) => waiting(ms, signal) };
    const ask = canHoldKey ? askSealed : askInTheClear;
    const signedIn = (await ask({ ...wish, browser, certificate: null }, parts)) as SignedIn;
    if (signal.aborted) return '';
    offersEncryption.value = !canHoldKey;
    await enter(signedIn, pair?.privateKey ?? null);
    return '';
  } catch (thrown) {
    if (thrown instanceof Left) return '';
    if (thrown instanceof NoResponse) return 'The service does not answer. Is it running, and is this its address?';
    return thrown instanceof Error ? thrown.message : String(thrown);
  }
}

async function post(path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(basePath + path, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  }).catch((error: unknown) => {
    throw new NoResponse(String(error));
  });
  const result = await response.json();
  if (!response.ok) throw new Error(result.error);
  return result;
}

async function waiting(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  if (signal.aborted) throw new Left();
}
