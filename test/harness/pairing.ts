import { createPairGrants, type PairedToken } from '../../src/access/pairing/grants.ts';
import { createPairing, type Pairing, type PairWish } from '../../src/access/pairing/pairing.ts';
import type { Scope } from '../../src/access/scopes.ts';
import { openBrowserSessions, type SignedIn } from '../../src/access/sessions/sessions.ts';
import { openTokens } from '../../src/access/tokens/tokens.ts';
import type { Answerer, AskUser, UserDecision, UserPrompt } from '../../src/core/agent.ts';
import type { Connection } from '../../src/core/caller.ts';
import { defaultSettings, scopes } from '../../src/features/index.ts';
import { type AskerWish, askInTheClear, askSealed } from '../../src/lib/pairing/pairing-client.ts';
import { makeNonce, makePairKey } from '../../src/lib/pairing/pairing-crypto.ts';
import { createPairSchema } from '../../src/transports/http/routes/pair.schema.ts';
import { refuseOtherCertificate, toWish } from '../../src/transports/http/routes/pair-routes.ts';
import { fakeClock, memoryStorage } from '../doubles/fake-host.ts';

export type OnScreen = UserPrompt & {
  signal: AbortSignal;
  answered: ((by: Answerer) => void) | undefined;
  answer(answer: UserDecision): void;
  fail(error: Error): void;
};

/** A machine whose prompts are answered by the test. */
export function pairingMachine({ enabled = true, slow = false }: { enabled?: boolean; slow?: boolean } = {}) {
  const clock = fakeClock();
  const host = { storage: memoryStorage(), paths: { config: '/c', state: '/s', runtime: null }, clock };
  const tokens = openTokens(scopes, host);
  tokens.first();
  const browsers = openBrowserSessions(scopes, host, tokens);
  const prompts: OnScreen[] = [];
  const askUser: AskUser = (prompt, signal, answered) =>
    new Promise((resolve, reject) => {
      prompts.push({ ...prompt, signal, answered, answer: resolve, fail: reject });
      // A slow prompt stays on the screen after it was cancelled.
      if (!slow) signal.addEventListener('abort', () => resolve('denied'));
    });
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const log = { debug: note, info: note, warn: note, error: note, isDebug: () => false, setLevel() {}, setFormat() {} };
  const settings = { ...defaultSettings, pairing: { enabled } };
  const grant = createPairGrants(tokens, browsers);
  const pairing = createPairing({ scopes, askUser, grant, settings: () => settings, clock, log });
  return { clock, tokens, browsers, prompts, pairing, lines, settings };
}

export const connectionFrom = (address: string, ours = false, isEncrypted = false): (() => Connection) => {
  return () => ({ address, forwarded: false, isEncrypted, isOurUser: async () => ours });
};

/** The certificate of the machine. */
export const ownCertificate = Array.from({ length: 32 }, () => 'AA').join(':');
export const relaysCertificate = Array.from({ length: 32 }, () => 'BB').join(':');

/** Parses a body as the route does. */
export function wishOf(body: Body): PairWish {
  const wanted = createPairSchema(scopes.all).parse(body);
  refuseOtherCertificate(wanted.agreed?.certificate ?? null, [ownCertificate]);
  return toWish(wanted, 'Firefox on Android');
}

export type Body = Record<string, unknown>;
export type Change = (path: string, body: Body) => Body;

/** A client of the machine; `there` and `back` may change what the network carries. */
export function pairingClient(
  { pairing, clock }: ReturnType<typeof pairingMachine>,
  { address = '192.168.1.20', there = same, back = same, isEncrypted = false } = {},
) {
  const shown: string[] = [];
  const parts = {
    show: (digits: string) => void shown.push(digits),
    async sleep(ms: number) {
      await Bun.sleep(1);
      clock.advance(ms);
    },
    async post(path: string, given: object): Promise<Body> {
      const body = there(path, JSON.parse(JSON.stringify(given)));
      const routes: Record<string, () => Promise<unknown>> = {
        '/api/pair/begin': () => pairing.begin(),
        '/api/pair': () => pairing.ask(wishOf(body), connectionFrom(address, false, isEncrypted)),
        '/api/pair/fetch': () => pairing.fetch(String(body.id), String(body.claim)),
      };
      return back(path, JSON.parse(JSON.stringify(await routes[path]?.())));
    },
  };
  const wish = { name: 'laptop', scopes: ['read'] as string[], code: '', browser: null, certificate: null };
  return {
    shown,
    sealed: async (given: Partial<AskerWish> = {}) => (await askSealed({ ...wish, ...given }, parts)) as PairedToken,
    clear: async (given: Partial<AskerWish> = {}) =>
      (await askInTheClear({ ...wish, browser: { public_key: null, stay: false }, ...given }, parts)) as SignedIn,
  };
}
const same: Change = (_path, body) => body;

export const digitsIn = (prompt: OnScreen | undefined) => /Code: (\d{3} \d{3})/.exec(prompt?.text ?? '')?.[1];
export const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'no refusal',
    (error: Error) => error.message,
  );

/** A client that requests pairing only to show the prompt. */
export async function askForPrompt(
  pairing: Pairing,
  address = '192.168.1.20',
  name = 'x',
  scopes: Scope[] | null = null,
) {
  const { id } = await pairing.begin();
  const { publicKey } = await makePairKey();
  const way = { id, publicKey, nonce: makeNonce(), certificate: null, proof: null };
  return await pairing.ask({ name, isNamed: true, scopes, browser: null, way }, connectionFrom(address));
}
