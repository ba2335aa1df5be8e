import fs from 'node:fs';
import path from 'node:path';
import { sha256 } from '../../src/lib/digest.ts';
import { createJunk, type Junk } from './junk.ts';
import { postJson, sendRaw, toBytes, together } from './raw-http.ts';
import { type Surface, type Target, wrongTokens } from './surface.ts';

const routes = ['/api/login', '/api/login/page', '/api/sessions', '/api/sessions/challenge'];
const knownCode = 'K7QF-2M9X-3ATB';

/** Signing in: wrong and right codes, keys, proofs and forms, while the file of the waiting codes is junk as well, or has a good one. */
export const login: Surface = {
  name: 'login',
  by: 'unauthenticated',
  expected: [wrongTokens],
  async throwJunk(target) {
    await together(6, target, async (number) => {
      const junk = createJunk(target.seed + 1000 * number + target.junk.below(1e6));
      if (junk.chance(0.1)) writeCodes(target, junk);
      if (junk.chance(0.3)) return void (await signInForReal(target, junk));
      const route = junk.pick(routes);
      const isForm = route.endsWith('/page') && junk.chance(0.8);
      const body = isForm ? `code=${encodeURIComponent(junk.text().toWellFormed())}` : JSON.stringify(loginOf(junk));
      const headers: [string, string][] = [
        ['Host', `127.0.0.1:${target.hostler.port}`],
        ['Content-Type', isForm ? 'application/x-www-form-urlencoded' : 'application/json'],
        ['Content-Length', String(Buffer.byteLength(body))],
        ['Connection', 'close'],
      ];
      if (isForm) headers.push(['Origin', 'null']);
      await sendRaw(
        target,
        toBytes({ method: 'POST', target: route, headers, body: junk.chance(0.8) ? body : junk.mangle(body) }),
      );
    });
  },
};

function loginOf(junk: Junk): unknown {
  if (junk.chance(0.2)) return junk.value();
  const key = () =>
    junk.chance(0.5) ? Buffer.concat([Buffer.from([4]), junk.bytes(64)]).toString('base64url') : junk.value(1);
  return {
    code: junk.chance(0.5) ? junk.value(1) : knownCode,
    public_key: key(),
    stay: junk.value(1),
    id: junk.chance(0.5) ? `browser-${junk.bytes(6).toString('hex')}` : junk.value(1),
    challenge: junk.chance(0.5)
      ? `${junk.below(1e6)}.${junk.bytes(24).toString('base64url')}.${junk.bytes(32).toString('base64url')}`
      : junk.value(1),
    signature: junk.chance(0.5) ? junk.bytes(64).toString('base64url') : junk.value(1),
  };
}

/** With its own key, a valid code and, now and then, a valid proof. */
async function signInForReal(target: Target, junk: Junk): Promise<void> {
  const pair = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify']);
  const key = Buffer.from(await crypto.subtle.exportKey('raw', pair.publicKey)).toString('base64url');
  writeCodes(target, junk, true);
  const { status, answer } = await postJson(target, '/api/login', {
    code: knownCode,
    public_key: key,
    stay: junk.chance(0.5),
  });
  if (status !== 200 || !isSignedIn(answer)) return;
  const given = await postJson(target, '/api/sessions/challenge', {});
  const challenge = field(given.answer, 'challenge');
  const text = new TextEncoder().encode(`hostler-browser-session-2\n\n${answer.session.id}\n${challenge}`);
  const signature = Buffer.from(
    await crypto.subtle.sign({ name: 'ECDSA', hash: 'SHA-256' }, pair.privateKey, text),
  ).toString('base64url');
  const isGood = junk.chance(0.5);
  const proof = { id: answer.session.id, challenge, signature: isGood ? signature : junk.mangle(signature) };
  const resumed = await postJson(target, '/api/sessions', proof);
  if (!isGood && proof.signature !== signature && resumed.status === 200 && !sameBytes(proof.signature, signature))
    target.fault(`a wrong signature was taken: ${JSON.stringify(proof)}`);
}

const sameBytes = (a: string, b: string) => Buffer.from(a, 'base64url').equals(Buffer.from(b, 'base64url'));

function writeCodes({ directory }: Target, junk: Junk, good = false): void {
  const codes = [{ sha256: sha256(knownCode).toString('hex'), expires: Date.now() + 60_000 }];
  const text = JSON.stringify(codes);
  const file = path.join(directory, 'state', 'login.json');
  fs.writeFileSync(file, good || junk.chance(0.3) ? text : junk.mangle(text), { mode: 0o600 });
}

const field = (value: unknown, name: string): string =>
  typeof value === 'object' && value !== null && name in value
    ? String(Object.entries(value).find(([key]) => key === name)?.[1])
    : '';

const isSignedIn = (value: unknown): value is { session: { id: string } } =>
  typeof value === 'object' &&
  value !== null &&
  'session' in value &&
  typeof value.session === 'object' &&
  value.session !== null &&
  'id' in value.session;
