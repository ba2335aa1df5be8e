import { messageOf } from '../../src/lib/errors.ts';
import { askInTheClear, askSealed, NoResponse } from '../../src/lib/pairing/pairing-client.ts';
import { basePath } from './base-path.ts';
import { Refused, post as sendTo } from './log-in.ts';
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
    return messageOf(thrown);
  }
}

const post = (path: string, body: object) =>
  sendTo<Record<string, unknown>>(basePath + path, body).catch((thrown: unknown) => {
    throw thrown instanceof Refused ? thrown : new NoResponse(String(thrown));
  });

async function waiting(ms: number, signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  if (signal.aborted) throw new Left();
}
