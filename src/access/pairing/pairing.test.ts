import { describe, expect, test } from 'bun:test';
import {
  askForPrompt,
  connectionFrom,
  digitsIn,
  type OnScreen,
  pairingClient,
  pairingMachine,
  refusal,
} from '../../../test/harness/pairing.ts';
import { until } from '../../../test/harness/until.ts';
import { ServiceError } from '../../lib/errors.ts';
import { NoResponse } from '../../lib/pairing/pairing-client.ts';
import { makeNonce, makePairKey } from '../../lib/pairing/pairing-crypto.ts';
import { budgets } from '../limits/budgets.ts';

const { absentMs, fetchMs, begunMs } = budgets.unauthenticated.pairing;

describe('the permission prompt on the screen', () => {
  test('both sides show the same digits, and Allow delivers a token that only the client can read', async () => {
    const there = pairingMachine();
    const answers: unknown[] = [];
    const { shown, sealed } = pairingClient(there, {
      back: (_path, body) => {
        answers.push(body);
        return body;
      },
    });
    const asking = sealed({ scopes: ['read', 'media'] });
    await until(() => shown.length === 1 && there.prompts.length === 1, 'the prompt is shown');
    expect(digitsIn(there.prompts[0])).toBe(shown[0] ?? '');
    expect(there.prompts[0]).toMatchObject({
      title: 'A program that calls itself "laptop" asks for access to this machine',
      less: 'Only reading',
    });
    expect(there.prompts[0]?.text).toContain(
      'A program at 192.168.1.20, over an unencrypted connection, wants to: control media players and volume, play sounds, say texts; read',
    );
    expect(there.tokens.list()).toHaveLength(1);
    there.prompts[0]?.answer('allowed');
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
    const there = pairingMachine();
    const asking = pairingClient(there).sealed({ scopes: ['read', 'command'] });
    await until(() => there.prompts.length === 1, 'the prompt is shown');
    there.prompts[0]?.answer('less');
    expect((await asking).scopes).toEqual(['read']);
  });

  test('a browser gets a session that does not end with a token, and no token', async () => {
    const there = pairingMachine();
    const asking = pairingClient(there).clear({ name: '' });
    await until(() => there.prompts.length === 1, 'the prompt is shown');
    expect(there.prompts[0]?.title).toContain('"Firefox on Android"');
    expect(there.prompts[0]?.text).toContain(
      'A browser at 192.168.1.20, over an unencrypted connection, wants to: read',
    );
    there.prompts[0]?.answer('allowed');
    const { token, session } = await asking;
    expect(there.browsers.find(token)).toMatchObject({ kind: 'browser', scopes: ['read'] });
    expect(there.tokens.list()).toHaveLength(1);
    expect(there.tokens.find(token)).toBeNull();
    there.browsers.end(session.id);
    expect(there.browsers.find(token)).toBeNull();
  });

  test.each([
    ['denied', (prompt: OnScreen) => prompt.answer('denied'), 'Access was denied'],
    [
      'while the prompt of an agent is open',
      (prompt: OnScreen) => prompt.fail(new ServiceError('conflict', 'Another permission prompt is open')),
      'Another permission prompt is open',
    ],
    [
      'closed for an authenticated client',
      (prompt: OnScreen) => prompt.fail(new ServiceError('failed', 'The permission prompt was closed')),
      'The permission prompt was closed',
    ],
  ])('%s: the client gets a reason and no token', async (_name, act, reason) => {
    const there = pairingMachine();
    const asking = refusal(pairingClient(there).sealed());
    await until(() => there.prompts.length === 1, 'the prompt is shown');
    for (const prompt of there.prompts) act(prompt);
    expect(await asking).toContain(reason);
    expect(there.tokens.list()).toHaveLength(1);
  });

  test('only the machine itself may allow it, and who did elsewhere than on the screen is logged', async () => {
    const there = pairingMachine();
    const asking = pairingClient(there).sealed();
    await until(() => there.prompts.length === 1, 'the prompt is shown');
    expect(there.prompts[0]?.onMachine).toBe(true);
    there.prompts[0]?.answered?.({ at: 'command', who: 'the command line' });
    there.prompts[0]?.answer('allowed');
    await asking;
    expect(there.lines).toEqual([expect.stringContaining('(pairing, allowed by the command line)')]);
  });

  test('every request is refused while pairing is disabled', async () => {
    const { pairing } = pairingMachine({ enabled: false });
    for (const work of [
      pairing.begin(),
      pairing.fetch('x', 'y'),
      Promise.resolve().then(() => pairing.printCode(['read'])),
    ])
      expect(await refusal(work)).toContain('pairing.enabled');
  });

  test('admin is never granted', async () => {
    const { pairing } = pairingMachine();
    expect(await refusal(askForPrompt(pairing, '10.0.0.1', 'x', ['read', 'admin']))).toContain(
      'not granted by pairing',
    );
    expect(() => pairing.printCode(['admin'])).toThrow('not granted by pairing');
  });

  test('the prompt distinguishes this user from other users of the machine', async () => {
    for (const [ours, words] of [
      [true, 'A program on this machine wants'],
      [false, 'A program of another user of this machine wants'],
    ] as const) {
      const { pairing, prompts } = pairingMachine();
      const { id } = await pairing.begin();
      const way = {
        id,
        publicKey: (await makePairKey()).publicKey,
        nonce: makeNonce(),
        certificate: null,
        proof: null,
      };
      await pairing.ask(
        { name: 'x', isNamed: true, scopes: null, browser: null, way },
        connectionFrom('127.0.0.1', ours),
      );
      expect(prompts[0]?.text).toContain(words);
    }
  });
});

describe('the name of a client', () => {
  test.each([
    ['reversed words', 'a\u202egnp.exe'],
    ['a line of its own', 'phone\nCode: 111 111'],
    ['markup', '<b>phone</b>'],
    ['an escape', 'phone\u001b[2J'],
    ['letters of another alphabet', 'l\u0430ptop'],
    ['quotes', 'phone" asks'],
    ['a space at its end', 'laptop '],
    ['an empty name', ''],
    ['the name of the first token', 'main'],
    ['a name similar to that of the first token', 'Maln'],
    ['the name of the command line', 'cli'],
  ])('is refused without a prompt: %s', async (_what, name) => {
    const { pairing, prompts } = pairingMachine();
    expect(await refusal(askForPrompt(pairing, '10.0.0.1', name))).not.toBe('no refusal');
    expect(prompts).toHaveLength(0);
  });

  test('a name that is taken or similar gets a number, which is revealed only with the grant', async () => {
    const there = pairingMachine();
    there.tokens.create('laptop', ['read']);
    for (const [name, given] of [
      ['laptop', 'laptop 2'],
      ['Lapt0p', 'Lapt0p 3'],
    ] as const) {
      const asking = pairingClient(there).sealed({ name });
      await until(() => there.prompts.length > 0, 'the prompt is shown');
      there.prompts.pop()?.answer('allowed');
      expect((await asking).name).toBe(given);
    }
  });
});

describe('the outcome of a pairing request', () => {
  test('an Allow after the client has left creates no token', async () => {
    const there = pairingMachine({ slow: true });
    const secret = makeNonce();
    const wish = { name: 'x', isNamed: true, scopes: null, browser: { key: null, stay: false }, way: { secret } };
    const asked = await there.pairing.ask(wish, connectionFrom('10.0.0.1'));
    there.clock.advance(absentMs + 1);
    expect(there.prompts[0]?.signal.aborted).toBe(true);
    // As long as it can be seen, no other takes its place.
    expect(await refusal(askForPrompt(there.pairing, '10.9.9.9'))).toContain('another device');
    there.prompts[0]?.answer('allowed');
    await Bun.sleep(1);
    const answer = await there.pairing.fetch('id' in asked ? asked.id : '', secret);
    expect(answer).toEqual({
      state: 'refused',
      reason: 'The client stopped waiting for the answer. Send the request again',
    });
    expect(there.browsers.list()).toHaveLength(0);
  });

  test('an outcome that is not fetched creates no token', async () => {
    const there = pairingMachine();
    const secret = makeNonce();
    const wish = { name: 'x', isNamed: true, scopes: null, browser: { key: null, stay: false }, way: { secret } };
    const asked = await there.pairing.ask(wish, connectionFrom('10.0.0.1'));
    there.prompts[0]?.answer('allowed');
    await Bun.sleep(1);
    there.clock.advance(fetchMs + 1);
    expect(await refusal(there.pairing.fetch('id' in asked ? asked.id : '', secret))).toContain('unknown');
    expect(there.browsers.list()).toHaveLength(0);
  });

  test('only the client that sent the request gets the outcome, and once', async () => {
    const there = pairingMachine();
    const secret = makeNonce();
    const wish = { name: 'x', isNamed: true, scopes: null, browser: { key: null, stay: false }, way: { secret } };
    const asked = await there.pairing.ask(wish, connectionFrom('10.0.0.1'));
    const id = 'id' in asked ? asked.id : '';
    there.prompts[0]?.answer('allowed');
    await Bun.sleep(1);
    for (const claim of [makeNonce(), '', `${secret.slice(0, -1)}!`])
      expect(await refusal(there.pairing.fetch(id, claim))).toContain('unknown');
    const both = await Promise.all([1, 2].map(() => refusal(there.pairing.fetch(id, secret))));
    expect(both.filter((said) => said === 'no refusal')).toHaveLength(1);
    expect(there.browsers.list()).toHaveLength(1);
  });

  test('an eavesdropper with the claim cannot consume an encrypted outcome, and one token is created', async () => {
    const there = pairingMachine();
    let claim = '';
    const { sealed } = pairingClient(there, {
      there(path, body) {
        if (path === '/api/pair/fetch') claim = String(body.claim);
        return body;
      },
      back(path, body) {
        // The first one that was granted is lost.
        if (path !== '/api/pair/fetch' || body.state !== 'granted' || lost) return body;
        lost = true;
        throw new NoResponse('lost');
      },
    });
    let lost = false;
    const asking = sealed();
    await until(() => there.prompts.length === 1, 'the prompt is shown');
    there.prompts[0]?.answer('allowed');
    const { token } = await asking;
    expect([lost, claim.length]).toEqual([true, 43]);
    expect(there.tokens.find(token)?.name).toBe('laptop');
    expect(there.tokens.list()).toHaveLength(2);
  });

  test('a request is unknown after a restart, and stopping the service closes the prompt', async () => {
    const [before, after] = [pairingMachine(), pairingMachine()];
    const { id } = await before.pairing.begin();
    const way = { id, publicKey: (await makePairKey()).publicKey, nonce: makeNonce(), certificate: null, proof: null };
    const wish = { name: 'x', isNamed: true, scopes: null, browser: null, way };
    expect(await refusal(after.pairing.ask(wish, connectionFrom('10.0.0.1')))).toContain('Start again');
    await before.pairing.ask(wish, connectionFrom('10.0.0.1'));
    before.pairing.close();
    expect(before.prompts[0]?.signal.aborted).toBe(true);
  });

  test('an attempt is valid once, and for a minute', async () => {
    const there = pairingMachine();
    const way = {
      id: (await there.pairing.begin()).id,
      publicKey: (await makePairKey()).publicKey,
      nonce: makeNonce(),
      certificate: null,
      proof: null,
    };
    const wish = { name: 'x', isNamed: true, scopes: null, browser: null, way };
    await there.pairing.ask(wish, connectionFrom('10.0.0.1'));
    there.prompts[0]?.answer('allowed');
    await Bun.sleep(1);
    expect(await refusal(there.pairing.ask(wish, connectionFrom('10.0.0.1')))).toContain('Start again');
    const { id } = await there.pairing.begin();
    there.clock.advance(begunMs + 1);
    expect(await refusal(there.pairing.ask({ ...wish, way: { ...way, id } }, connectionFrom('10.0.0.1')))).toContain(
      'Start again',
    );
    // Neither leaves anything in the way of the next one.
    await askForPrompt(there.pairing);
    expect(there.prompts).toHaveLength(2);
  });
});
