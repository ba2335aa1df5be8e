import { makeNonce, makePairKey } from '../../../src/lib/pairing/pairing-crypto.ts';
import { type RunningHostler, runHostler } from './service.ts';

export interface JunkReport {
  sent: number;
  statuses: Record<string, number>;
  /** The largest resident size in bytes. */
  most: number;
  /** The latency of the health route meanwhile, milliseconds. */
  health: { p50: number; p99: number; most: number };
}

/** What an unauthenticated client might send to the routes of pairing: right, nearly right, and random. One at a time from each of a few. */
export async function junkAt(hostler: RunningHostler, forMs: number, residentBytes: () => number): Promise<JunkReport> {
  const end = performance.now() + forMs;
  const statuses: Record<string, number> = {};
  const healthMs: number[] = [];
  let sent = 0;
  let most = 0;
  const note = (status: number | string) => {
    statuses[status] = (statuses[status] ?? 0) + 1;
  };
  const { publicKey } = await makePairKey();

  const send = async () => {
    const [route = '', body = ''] = await message(hostler.base, publicKey);
    const type = pick(['application/json', 'application/json', 'application/json', 'text/plain', '']);
    const headers: Record<string, string> = type === '' ? {} : { 'Content-Type': type };
    const method = pick(['POST', 'POST', 'POST', 'POST', 'PUT', 'DELETE']);
    const response = await fetch(`${hostler.base}${route}`, { method, headers, body });
    await response.arrayBuffer();
    note(response.status);
    sent++;
  };
  const otherClient = async () => {
    while (performance.now() < end) await send().catch((error) => note(String(error.code ?? error)));
  };
  const watch = async () => {
    while (performance.now() < end) {
      const begun = performance.now();
      await (await hostler.get('/api/health', {})).arrayBuffer();
      healthMs.push(performance.now() - begun);
      most = Math.max(most, residentBytes());
      await Bun.sleep(50);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: 6 }, otherClient)]);
  healthMs.sort((a, b) => a - b);
  const at = (share: number) => Math.round((healthMs[Math.floor((healthMs.length - 1) * share)] ?? 0) * 10) / 10;
  return { sent, statuses, most, health: { p50: at(0.5), p99: at(0.99), most: at(1) } };
}

const pick = <T>(list: readonly T[]): T => list[Math.floor(Math.random() * list.length)] as T;

/** A route and a body. Values have the wrong type, are too long, too deep, or missing. */
async function message(base: string, publicKey: string): Promise<[string, string]> {
  const route = pick([
    '/api/pair',
    '/api/pair',
    '/api/pair/fetch',
    '/api/pair/begin',
    '/api/pair/',
    '/api/pair/begin?x=1',
  ]);
  const body: Record<string, unknown> = {};
  const id = Math.random() < 0.3 ? await begun(base) : odd();
  if (Math.random() < 0.8) body.name = pick(['laptop', 'main', odd()]);
  if (Math.random() < 0.5) body.scopes = pick([['read'], ['admin'], ['read', 'command'], [odd()], odd()]);
  if (Math.random() < 0.5)
    body.agreed = {
      id,
      public_key: pick([publicKey, flipped(publicKey), odd()]),
      nonce: pick([makeNonce(), odd()]),
      proof: pick([makeNonce(), null, odd()]),
    };
  if (Math.random() < 0.5)
    body.clear = pick([{ secret: makeNonce() }, { code: 'AAAA-BBBB-CCCC' }, { code: odd() }, odd()]);
  if (Math.random() < 0.5)
    body.browser = pick([{}, { public_key: publicKey, stay: true }, { public_key: odd() }, odd()]);
  if (route.includes('fetch')) Object.assign(body, { id, claim: pick([makeNonce(), odd()]) });
  const text = JSON.stringify(body);
  return [route, Math.random() < 0.2 ? text.slice(0, Math.floor(Math.random() * text.length)) : text];
}

async function begun(base: string): Promise<unknown> {
  const response = await fetch(`${base}/api/pair/begin`, { method: 'POST' });
  return ((await response.json()) as { id?: unknown }).id;
}

const flipped = (text: string) => `${text.slice(0, 20)}${pick(['A', 'b', '-', '_'])}${text.slice(21)}`;

function odd(): unknown {
  return pick<() => unknown>([
    () => null,
    () => Math.random() * 10 ** 20,
    () => '',
    () => '\u202e\u0000\ud800<b>&"\n',
    () => 'x'.repeat(Math.floor(Math.random() * 6000)),
    () => String.fromCharCode(...crypto.getRandomValues(new Uint16Array(64))),
    () => Array.from({ length: Math.floor(Math.random() * 500) }, () => []),
    () => JSON.parse(`${'['.repeat(500)}${']'.repeat(500)}`),
    () => ({ __proto__: null, constructor: 1, toString: {} }),
    () => true,
  ])();
}

export const postTo = (base: string, route: string, body: unknown, headers: Record<string, string> = {}) =>
  fetch(`${base}${route}`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json', ...headers },
    body: JSON.stringify(body),
  });

/** Requests pairing only to show the prompt. */
export async function askToPair(
  base: string,
  name = 'visitor',
  headers: Record<string, string> = {},
): Promise<Response> {
  const { id } = (await (await postTo(base, '/api/pair/begin', {}, headers)).json()) as { id: string };
  const agreed = { id, public_key: (await makePairKey()).publicKey, nonce: makeNonce() };
  return await postTo(base, '/api/pair', { name, agreed }, headers);
}

export const tokensOf = async ({ directory }: RunningHostler) =>
  JSON.parse((await runHostler(['token', 'list', '--json'], { directory })).stdout) as {
    name: string;
    id: string;
    scopes: string[];
    kind: string;
  }[];
