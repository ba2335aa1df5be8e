import { describe, expect, test } from 'bun:test';
import { fakeClock, memoryStorage } from '../../../test/doubles/fake-host.ts';
import type { AskUser, UserAnswer, UserQuestion } from '../../core/agent.ts';
import type { Connection } from '../../core/caller.ts';
import { defaultSettings, scopes } from '../../features/index.ts';
import { type AskerWish, askInTheClear, askSealed, Unanswered } from '../../lib/pairing-client.ts';
import { makeNonce, makePairKey } from '../../lib/pairing-crypto.ts';
import { createPairSchema } from '../../transports/http/routes/pair.schema.ts';
import { refuseOtherCertificate, toWish } from '../../transports/http/routes/pair-routes.ts';
import { budgets } from '../limits/budgets.ts';
import type { Scope } from '../scopes.ts';
import { openBrowserSessions, type SignedIn } from '../sessions/sessions.ts';
import { openTokens } from '../tokens/tokens.ts';
import { createPairGrants, type PairedToken } from './grants.ts';
import { createPairing, type Pairing, type PairWish } from './pairing.ts';

const { questionMs, absentMs, fetchMs, begunMs, code: printed } = budgets.unauthenticated.pairing;

type OnScreen = UserQuestion & { signal: AbortSignal; answer(answer: UserAnswer): void; fail(error: Error): void };

/** A machine whose user answers when the test says so. */
function machine({ enabled = true, slow = false }: { enabled?: boolean; slow?: boolean } = {}) {
  const clock = fakeClock();
  const host = { storage: memoryStorage(), paths: { config: '/c', state: '/s', runtime: null }, clock };
  const tokens = openTokens(scopes, host);
  tokens.first();
  const browsers = openBrowserSessions(scopes, host, tokens);
  const questions: OnScreen[] = [];
  const askUser: AskUser = (question, signal) =>
    new Promise((resolve, reject) => {
      const { title, text, less } = question;
      questions.push({ title, text, less, signal, answer: resolve, fail: reject });
      // A slow one takes its time to go off the screen.
      if (!slow) signal.addEventListener('abort', () => resolve('denied'));
    });
  const lines: string[] = [];
  const note = (line: string) => void lines.push(line);
  const log = { debug: note, info: note, warn: note, error: note, isDebug: () => false, setLevel() {}, setFormat() {} };
  const settings = { ...defaultSettings, pairing: { enabled } };
  const grant = createPairGrants(tokens, browsers);
  const pairing = createPairing({ scopes, askUser, grant, settings: () => settings, clock, log });
  return { clock, tokens, browsers, questions, pairing, lines };
}

const from = (address: string, ours = false, isEncrypted = false): (() => Connection) => {
  return () => ({ address, forwarded: false, isEncrypted, isOurUser: async () => ours });
};

/** What the machine shows over TLS. */
const ownCertificate = Array.from({ length: 32 }, () => 'AA').join(':');
const relaysCertificate = Array.from({ length: 32 }, () => 'BB').join(':');

/** As the route does. */
function wishOf(body: Body): PairWish {
  const wanted = createPairSchema(scopes.all).parse(body);
  refuseOtherCertificate(wanted.agreed?.certificate ?? null, [ownCertificate]);
  return toWish(wanted, 'Firefox on Android');
}

type Body = Record<string, unknown>;
type Change = (path: string, body: Body) => Body;

/** The other side, over a network that may change what it carries. */
function asker(
  { pairing, clock }: ReturnType<typeof machine>,
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
        '/api/pair': () => pairing.ask(wishOf(body), from(address, false, isEncrypted)),
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

const until = async (isSo: () => boolean) => {
  for (let turns = 0; !isSo(); turns++) {
    if (turns > 2000) throw new Error('it never happened');
    await Bun.sleep(1);
  }
};
const digitsIn = (question: OnScreen | undefined) => /Code: (\d{3} \d{3})/.exec(question?.text ?? '')?.[1];
const refusal = (work: Promise<unknown>) =>
  work.then(
    () => 'no refusal',
    (error: Error) => error.message,
  );

/** Asks as a program that only wants the question to appear. */
async function raw(pairing: Pairing, address = '192.168.1.20', name = 'x', scopes: Scope[] | null = null) {
  const { id } = await pairing.begin();
  const { publicKey } = await makePairKey();
  const way = { id, publicKey, nonce: makeNonce(), certificate: null, proof: null };
  return await pairing.ask({ name, isNamed: true, scopes, browser: null, way }, from(address));
}

describe('asking at the screen', () => {
  test('both sides show the same digits, and Allow delivers a token that only the client can read', async () => {
    const there = machine();
    const answers: unknown[] = [];
    const { shown, sealed } = asker(there, {
      back: (_path, body) => {
        answers.push(body);
        return body;
      },
    });
    const asking = sealed({ scopes: ['read', 'media'] });
    await until(() => shown.length === 1 && there.questions.length === 1);
    expect(digitsIn(there.questions[0])).toBe(shown[0] ?? '');
    expect(there.questions[0]).toMatchObject({
      title: '"laptop" asks for access to this machine',
      less: 'Only reading',
    });
    expect(there.questions[0]?.text).toContain(
      'A program at 192.168.1.20, over an unencrypted connection, wants to: control media players and volume; read',
    );
    expect(there.tokens.list()).toHaveLength(1);
    there.questions[0]?.answer('allowed');
    const { token, ...rest } = await asking;
    expect(there.tokens.find(token)).toMatchObject({ name: 'laptop', scopes: ['read', 'media'], kind: 'general' });
    expect(rest).toMatchObject({ name: 'laptop', scopes: ['read', 'media'] });
    expect(JSON.stringify(answers)).not.toContain(token);
    expect(there.lines).toEqual([
      'access: "laptop" at 192.168.1.20 was given a token with read, media (pairing, allowed at the screen)',
    ]);
    expect(JSON.stringify(there.lines)).not.toContain(token);
  });

  test('the user may grant less', async () => {
    const there = machine();
    const asking = asker(there).sealed({ scopes: ['read', 'command'] });
    await until(() => there.questions.length === 1);
    there.questions[0]?.answer('less');
    expect((await asking).scopes).toEqual(['read']);
  });

  test('a browser gets a session that does not end with a token, and no token', async () => {
    const there = machine();
    const asking = asker(there).clear({ name: '' });
    await until(() => there.questions.length === 1);
    expect(there.questions[0]?.title).toContain('"Firefox on Android"');
    expect(there.questions[0]?.text).toContain(
      'A browser at 192.168.1.20, over an unencrypted connection, wants to: read',
    );
    there.questions[0]?.answer('allowed');
    const { token, session } = await asking;
    expect(there.browsers.find(token)).toMatchObject({ kind: 'browser', scopes: ['read'] });
    expect(there.tokens.list()).toHaveLength(1);
    expect(there.tokens.find(token)).toBeNull();
    there.browsers.end(session.id);
    expect(there.browsers.find(token)).toBeNull();
  });

  test.each([
    ['denied', (question: OnScreen) => question.answer('denied'), 'Access was denied'],
    [
      'without a desktop',
      (question: OnScreen) => question.fail(new Error('no bus')),
      'No permission prompt could be shown',
    ],
  ])('%s: no token, and a reason', async (_name, act, reason) => {
    const there = machine();
    const asking = refusal(asker(there).sealed());
    await until(() => there.questions.length === 1);
    for (const question of there.questions) act(question);
    expect(await asking).toContain(reason);
    expect(there.tokens.list()).toHaveLength(1);
  });

  test('after a failure to show a prompt, the next attempt waits', async () => {
    const there = machine();
    await raw(there.pairing);
    there.questions[0]?.fail(new Error('no bus'));
    await Bun.sleep(1);
    expect(await refusal(raw(there.pairing))).toContain('no bus');
    expect(there.questions).toHaveLength(1);
  });

  test('every request is refused while pairing is disabled', async () => {
    const { pairing } = machine({ enabled: false });
    for (const work of [
      pairing.begin(),
      pairing.fetch('x', 'y'),
      Promise.resolve().then(() => pairing.printCode(['read'])),
    ])
      expect(await refusal(work)).toContain('pairing.enabled');
  });

  test('admin is never granted', async () => {
    const { pairing } = machine();
    expect(await refusal(raw(pairing, '10.0.0.1', 'x', ['read', 'admin']))).toContain('not granted by pairing');
    expect(() => pairing.printCode(['admin'])).toThrow('not granted by pairing');
  });

  test('the prompt distinguishes this user from other users of the machine', async () => {
    for (const [ours, words] of [
      [true, 'A program on this machine wants'],
      [false, 'A program of another user of this machine wants'],
    ] as const) {
      const { pairing, questions } = machine();
      const { id } = await pairing.begin();
      const way = {
        id,
        publicKey: (await makePairKey()).publicKey,
        nonce: makeNonce(),
        certificate: null,
        proof: null,
      };
      await pairing.ask({ name: 'x', isNamed: true, scopes: null, browser: null, way }, from('127.0.0.1', ours));
      expect(questions[0]?.text).toContain(words);
    }
  });
});

describe('names', () => {
  test.each([
    ['reversed words', 'a\u202egnp.exe'],
    ['a line of its own', 'phone\nCode: 111 111'],
    ['markup', '<b>phone</b>'],
    ['an escape', 'phone\u001b[2J'],
    ['letters of another alphabet', 'l\u0430ptop'],
    ['quotes', 'phone" asks'],
    ['a space at its end', 'laptop '],
    ['nothing', ''],
    ['the name of the first token', 'main'],
    ['one that looks like it', 'Maln'],
    ['that of the command line', 'cli'],
  ])('%s are refused without a prompt', async (_what, name) => {
    const { pairing, questions } = machine();
    expect(await refusal(raw(pairing, '10.0.0.1', name))).not.toBe('no refusal');
    expect(questions).toHaveLength(0);
  });

  test('a name that is taken or similar gets a number, which is revealed only with the grant', async () => {
    const there = machine();
    there.tokens.create('laptop', ['read']);
    for (const [name, given] of [
      ['laptop', 'laptop 2'],
      ['Lapt0p', 'Lapt0p 3'],
    ] as const) {
      const asking = asker(there).sealed({ name });
      await until(() => there.questions.length > 0);
      there.questions.pop()?.answer('allowed');
      expect((await asking).name).toBe(given);
    }
  });
});

describe('several at once', () => {
  test('a second request is refused and does not replace the first', async () => {
    const there = machine();
    const first = asker(there).sealed();
    await until(() => there.questions.length === 1);
    expect(await refusal(raw(there.pairing, '10.6.6.6', 'laptop'))).toContain('another device');
    expect(there.questions).toHaveLength(1);
    there.questions[0]?.answer('allowed');
    expect((await first).name).toBe('laptop');
  });

  test('also for simultaneous requests', async () => {
    const { pairing, questions } = machine();
    const results = await Promise.all(Array.from({ length: 50 }, (_, at) => refusal(raw(pairing, `10.0.0.${at}`))));
    expect(results.filter((said) => said === 'no refusal')).toHaveLength(1);
    expect(questions).toHaveLength(1);
  });
});

describe('repeated requests', () => {
  test('the same address waits longer each time; seven prompts in an hour', async () => {
    const { pairing, questions, clock } = machine();
    const waits: number[] = [];
    for (const begun = clock.monotonic(); clock.monotonic() - begun < 3600_000; ) {
      const said = await raw(pairing).catch((error) => error.retryAfterSeconds as number);
      if (typeof said === 'number') {
        waits.push(said);
        clock.advance(said * 1000);
      } else {
        questions.at(-1)?.answer('denied');
        await Bun.sleep(1);
      }
    }
    expect(waits.slice(0, 6)).toEqual([30, 60, 120, 240, 480, 960]);
    expect(questions).toHaveLength(7);
  });

  test('many addresses together get ten prompts in an hour', async () => {
    const { pairing, questions, clock } = machine();
    for (let turn = 0, begun = clock.monotonic(); clock.monotonic() - begun < 3600_000; turn++) {
      const said = await raw(pairing, `10.0.${turn >> 8}.${turn & 255}`).catch(
        (error) => error.retryAfterSeconds as number,
      );
      if (typeof said === 'number') clock.advance(said * 1000);
      else {
        questions.at(-1)?.answer('denied');
        await Bun.sleep(1);
      }
    }
    expect(questions.length).toBe(10);
  });

  test('an unanswered or abandoned prompt is closed and counts as well', async () => {
    const there = machine();
    await raw(there.pairing);
    there.clock.advance(absentMs + 1);
    expect(there.questions[0]?.signal.aborted).toBe(true);
    await Bun.sleep(1);
    expect(await refusal(raw(there.pairing))).toContain('grows each time');
    there.clock.advance(60_000);
    const asking = refusal(asker(there).sealed());
    expect(await asking).toContain('not answered in time');
    expect(there.clock.monotonic()).toBeGreaterThanOrEqual(questionMs);
    expect(there.questions[1]?.signal.aborted).toBe(true);
  });
});

describe('answers', () => {
  test('an Allow after the client has left creates no token', async () => {
    const there = machine({ slow: true });
    const secret = makeNonce();
    const wish = { name: 'x', isNamed: true, scopes: null, browser: { key: null, stay: false }, way: { secret } };
    const asked = await there.pairing.ask(wish, from('10.0.0.1'));
    there.clock.advance(absentMs + 1);
    expect(there.questions[0]?.signal.aborted).toBe(true);
    // As long as it can be seen, no other takes its place.
    expect(await refusal(raw(there.pairing, '10.9.9.9'))).toContain('another device');
    there.questions[0]?.answer('allowed');
    await Bun.sleep(1);
    const answer = await there.pairing.fetch('id' in asked ? asked.id : '', secret);
    expect(answer).toEqual({
      state: 'refused',
      reason: 'The client stopped waiting for the answer. Send the request again',
    });
    expect(there.browsers.list()).toHaveLength(0);
  });

  test('an answer that is not fetched creates no token', async () => {
    const there = machine();
    const secret = makeNonce();
    const wish = { name: 'x', isNamed: true, scopes: null, browser: { key: null, stay: false }, way: { secret } };
    const asked = await there.pairing.ask(wish, from('10.0.0.1'));
    there.questions[0]?.answer('allowed');
    await Bun.sleep(1);
    there.clock.advance(fetchMs + 1);
    expect(await refusal(there.pairing.fetch('id' in asked ? asked.id : '', secret))).toContain('unknown');
    expect(there.browsers.list()).toHaveLength(0);
  });

  test('only the client that asked gets it, and once', async () => {
    const there = machine();
    const secret = makeNonce();
    const wish = { name: 'x', isNamed: true, scopes: null, browser: { key: null, stay: false }, way: { secret } };
    const asked = await there.pairing.ask(wish, from('10.0.0.1'));
    const id = 'id' in asked ? asked.id : '';
    there.questions[0]?.answer('allowed');
    await Bun.sleep(1);
    for (const claim of [makeNonce(), '', `${secret.slice(0, -1)}!`])
      expect(await refusal(there.pairing.fetch(id, claim))).toContain('unknown');
    const both = await Promise.all([1, 2].map(() => refusal(there.pairing.fetch(id, secret))));
    expect(both.filter((said) => said === 'no refusal')).toHaveLength(1);
    expect(there.browsers.list()).toHaveLength(1);
  });

  test('an eavesdropper with the claim cannot consume a sealed answer, and there is one token', async () => {
    const there = machine();
    let claim = '';
    const { sealed } = asker(there, {
      there(path, body) {
        if (path === '/api/pair/fetch') claim = String(body.claim);
        return body;
      },
      back(path, body) {
        // The first one that was granted is lost.
        if (path !== '/api/pair/fetch' || body.state !== 'granted' || lost) return body;
        lost = true;
        throw new Unanswered('lost');
      },
    });
    let lost = false;
    const asking = sealed();
    await until(() => there.questions.length === 1);
    there.questions[0]?.answer('allowed');
    const { token } = await asking;
    expect([lost, claim.length]).toEqual([true, 43]);
    expect(there.tokens.find(token)?.name).toBe('laptop');
    expect(there.tokens.list()).toHaveLength(2);
  });

  test('a request is unknown after a restart, and stopping the service closes the prompt', async () => {
    const [before, after] = [machine(), machine()];
    const { id } = await before.pairing.begin();
    const way = { id, publicKey: (await makePairKey()).publicKey, nonce: makeNonce(), certificate: null, proof: null };
    const wish = { name: 'x', isNamed: true, scopes: null, browser: null, way };
    expect(await refusal(after.pairing.ask(wish, from('10.0.0.1')))).toContain('Start again');
    await before.pairing.ask(wish, from('10.0.0.1'));
    before.pairing.close();
    expect(before.questions[0]?.signal.aborted).toBe(true);
  });

  test('an attempt is valid once, and for a minute', async () => {
    const there = machine();
    const way = {
      id: (await there.pairing.begin()).id,
      publicKey: (await makePairKey()).publicKey,
      nonce: makeNonce(),
      certificate: null,
      proof: null,
    };
    const wish = { name: 'x', isNamed: true, scopes: null, browser: null, way };
    await there.pairing.ask(wish, from('10.0.0.1'));
    there.questions[0]?.answer('allowed');
    await Bun.sleep(1);
    expect(await refusal(there.pairing.ask(wish, from('10.0.0.1')))).toContain('Start again');
    const { id } = await there.pairing.begin();
    there.clock.advance(begunMs + 1);
    expect(await refusal(there.pairing.ask({ ...wish, way: { ...way, id } }, from('10.0.0.1')))).toContain(
      'Start again',
    );
    // Neither leaves anything in the way of the next one.
    await raw(there.pairing);
    expect(there.questions).toHaveLength(2);
  });
});

describe('a man in the middle', () => {
  test('with its own keys causes different digits on the two sides', async () => {
    const there = machine();
    const own = await makePairKey();
    const { shown, sealed } = asker(there, {
      there: (path, body) =>
        path === '/api/pair' ? { ...body, agreed: { ...Object(body.agreed), public_key: own.publicKey } } : body,
    });
    void refusal(sealed());
    await until(() => shown.length === 1 && there.questions.length === 1);
    expect(digitsIn(there.questions[0])).not.toBe(shown[0] ?? '');
    there.questions[0]?.answer('denied');
  });

  test.each([
    ['the key of the service', '/api/pair/begin', async () => ({ public_key: (await makePairKey()).publicKey })],
    ['its nonce', '/api/pair', async () => ({ nonce: makeNonce() })],
    ['its commitment', '/api/pair/begin', async () => ({ commitment: makeNonce() })],
  ])('that changes %s is detected before any digits are shown', async (_what, path, make) => {
    const there = machine();
    const change = await make();
    const { shown, sealed } = asker(there, { back: (at, body) => (at === path ? { ...body, ...change } : body) });
    expect(await refusal(sealed())).toContain('Nothing was accepted');
    expect(shown).toEqual([]);
  });

  test('that changes the scopes, the name or the session key causes different digits', async () => {
    const browser = { public_key: (await makePairKey()).publicKey, stay: true };
    for (const change of [{ scopes: ['read', 'command'] }, { name: 'phone' }, { browser }]) {
      const there = machine();
      const { shown, sealed } = asker(there, {
        there: (path, body) => (path === '/api/pair' ? { ...body, ...change } : body),
      });
      void refusal(sealed());
      await until(() => shown.length === 1 && there.questions.length === 1);
      expect(digitsIn(there.questions[0])).not.toBe(shown[0] ?? '');
      there.questions[0]?.answer('denied');
    }
  });

  const withCertificate =
    (certificate: string | null): Change =>
    (path, body) =>
      path === '/api/pair' ? { ...body, agreed: { ...Object(body.agreed), certificate } } : body;

  test('that relays everything with its own TLS certificate is refused', async () => {
    const there = machine();
    const { shown, sealed } = asker(there);
    expect(await refusal(sealed({ certificate: relaysCertificate }))).toContain(
      'is not the certificate of this machine',
    );
    expect([shown, there.questions]).toEqual([[], []]);
  });

  test.each([
    ['replaces', ownCertificate],
    ['leaves out', null],
  ])(
    'a relay that %s the fingerprint of the client causes different digits, and a code grants nothing',
    async (_how, certificate) => {
      const there = machine();
      const { shown, sealed } = asker(there, { there: withCertificate(certificate) });
      void refusal(sealed({ certificate: relaysCertificate }));
      await until(() => shown.length === 1 && there.questions.length === 1);
      expect(digitsIn(there.questions[0])).not.toBe(shown[0] ?? '');
      there.questions[0]?.answer('denied');
      const { code } = there.pairing.printCode(['read']);
      expect(await refusal(sealed({ certificate: relaysCertificate, code }))).toContain('This code is not valid');
      expect(there.tokens.list()).toHaveLength(1);
    },
  );

  test('over TLS with the certificate of the machine both sides show the same digits', async () => {
    const there = machine();
    const { shown, sealed } = asker(there, { isEncrypted: true });
    const asking = sealed({ certificate: ownCertificate });
    await until(() => shown.length === 1 && there.questions.length === 1);
    expect(digitsIn(there.questions[0])).toBe(shown[0] ?? '');
    expect(there.questions[0]?.text).toContain('A program at 192.168.1.20 wants to: read');
    there.questions[0]?.answer('allowed');
    expect((await asking).scopes).toEqual(['read']);
  });

  test('a program is never granted access without keys', async () => {
    const { pairing, questions } = machine();
    const wish = { name: 'x', isNamed: true, scopes: null, browser: null };
    expect(await refusal(pairing.ask({ ...wish, way: { secret: makeNonce() } }, from('10.0.0.1')))).toContain(
      'without encryption',
    );
    expect(await refusal(pairing.ask({ ...wish, way: { code: 'x' } }, from('10.0.0.1')))).toContain(
      'without encryption',
    );
    expect(questions).toHaveLength(0);
  });
});

describe('a printed code', () => {
  test('grants its scopes or fewer, without a prompt', async () => {
    const there = machine();
    const { code, expires_in } = there.pairing.printCode(['read', 'media']);
    expect(expires_in).toBe(120);
    const { token, scopes } = await asker(there).sealed({ code: code.toLowerCase().replaceAll('-', ' '), scopes: [] });
    expect(scopes).toEqual(['read', 'media']);
    expect(there.tokens.find(token)).not.toBeNull();
    expect(await refusal(asker(there).sealed({ code, scopes: [] }))).toContain('used already');
    const second = there.pairing.printCode(['read', 'media']).code;
    expect(await refusal(asker(there).sealed({ code: second, scopes: ['command'] }))).toContain('read, media only');
    expect((await asker(there).sealed({ code: second, scopes: ['media', 'command'] })).scopes).toEqual(['media']);
    expect(there.questions).toHaveLength(0);
  });

  test('works unencrypted for a browser without keys', async () => {
    const there = machine();
    const { code } = there.pairing.printCode(['read']);
    const { session } = await asker(there).clear({ code, scopes: [] });
    expect(session).toMatchObject({ scopes: ['read'], token: 'pairing', stay: false });
  });

  test('expires after two minutes, and when another one is printed', async () => {
    const there = machine();
    const { code } = there.pairing.printCode(['read']);
    there.pairing.printCode(['read']);
    expect(await refusal(asker(there).sealed({ code }))).toContain('not valid');
    const { code: late } = there.pairing.printCode(['read']);
    there.clock.advance(printed.lifeMs);
    expect(await refusal(asker(there).sealed({ code: late }))).toContain('not valid');
  });

  test('is valid for one of two clients that have it', async () => {
    const there = machine();
    const { code } = there.pairing.printCode(['read']);
    const both = await Promise.all([1, 2].map(() => refusal(asker(there).sealed({ code }))));
    expect(both.toSorted()).toEqual(
      ['This code is not valid, was used already, or is older than two minutes', 'no refusal'].toSorted(),
    );
  });

  test('an address that guesses is locked out, also with the right code, and others are not', async () => {
    const there = machine();
    const { code } = there.pairing.printCode(['read']);
    const { allowed } = budgets.unauthenticated.wrongSecrets;
    for (let tries = 0; tries < allowed; tries++)
      expect(await refusal(asker(there).clear({ code: 'AAAA-BBBB-CCCC' }))).toContain('not valid');
    for (const guess of ['AAAA-BBBB-CCCC', code])
      expect(await refusal(asker(there).clear({ code: guess }))).toContain('Too many codes');
    expect(there.lines).toEqual(['access: too many pairing codes from 192.168.1.20']);
    expect((await asker(there, { address: '192.168.1.21' }).clear({ code })).session.scopes).toEqual(['read']);
  });

  test('the number of guesses of a whole network is limited', async () => {
    const there = machine();
    const { code } = there.pairing.printCode(['read']);
    for (let at = 0; at < printed.tries; at++)
      await refusal(
        there.pairing.ask(
          {
            name: 'x',
            isNamed: true,
            scopes: null,
            browser: { key: null, stay: false },
            way: { code: 'AAAA-BBBB-CCCC' },
          },
          from(`10.1.${at >> 8}.${at & 255}`),
        ),
      );
    expect(await refusal(asker(there).clear({ code }))).toContain('not valid');
  });

  test('a man in the middle gains nothing from the proof', async () => {
    const there = machine();
    const { code } = there.pairing.printCode(['read']);
    let seen: Body = {};
    const { sealed } = asker(there, {
      there(path, body) {
        if (path === '/api/pair') seen = body;
        return body;
      },
    });
    await sealed({ code });
    expect(JSON.stringify(seen)).not.toContain(code);
    there.pairing.printCode(['read']);
    // Neither the same proof for a later code, nor the same for another name.
    for (const again of [seen, { ...seen, name: 'phone' }])
      expect(await refusal(there.pairing.ask(wishOf(again), from('10.0.0.9')))).not.toBe('no refusal');
    expect(there.tokens.list()).toHaveLength(2);
  });
});

test('attempts take no memory', async () => {
  const { pairing } = machine();
  const ids = new Set<string>();
  for (let count = 0; count < 2000; count++) ids.add((await pairing.begin()).id);
  expect(ids.size).toBe(2000);
  const { id } = await pairing.begin();
  const way = {
    id: id.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')),
    publicKey: (await makePairKey()).publicKey,
    nonce: makeNonce(),
    certificate: null,
    proof: null,
  };
  expect(
    await refusal(pairing.ask({ name: 'x', isNamed: true, scopes: null, browser: null, way }, from('10.0.0.1'))),
  ).toContain('Start again');
});
