import { describe, expect, test } from 'bun:test';
import {
  type Body,
  connectionFrom,
  pairingClient,
  pairingMachine,
  refusal,
  wishOf,
} from '../../../test/harness/pairing.ts';
import { budgets } from '../limits/budgets.ts';

const { code: printed } = budgets.unauthenticated.pairing;

describe('a printed pairing code', () => {
  test('grants its scopes or fewer, without a prompt', async () => {
    const there = pairingMachine();
    const { code, expires_in } = there.pairing.printCode(['read', 'media']);
    expect(expires_in).toBe(120);
    const { token, scopes } = await pairingClient(there).sealed({
      code: code.toLowerCase().replaceAll('-', ' '),
      scopes: [],
    });
    expect(scopes).toEqual(['read', 'media']);
    expect(there.tokens.find(token)).not.toBeNull();
    expect(await refusal(pairingClient(there).sealed({ code, scopes: [] }))).toContain('used already');
    const second = there.pairing.printCode(['read', 'media']).code;
    expect(await refusal(pairingClient(there).sealed({ code: second, scopes: ['command'] }))).toContain(
      'read, media only',
    );
    expect((await pairingClient(there).sealed({ code: second, scopes: ['media', 'command'] })).scopes).toEqual([
      'media',
    ]);
    expect(there.prompts).toHaveLength(0);
  });

  test('works unencrypted for a browser without keys', async () => {
    const there = pairingMachine();
    const { code } = there.pairing.printCode(['read']);
    const { session } = await pairingClient(there).clear({ code, scopes: [] });
    expect(session).toMatchObject({ scopes: ['read'], token: 'pairing', stay: false });
  });

  test('expires after two minutes, and when another one is printed', async () => {
    const there = pairingMachine();
    const { code } = there.pairing.printCode(['read']);
    there.pairing.printCode(['read']);
    expect(await refusal(pairingClient(there).sealed({ code }))).toContain('not valid');
    const { code: late } = there.pairing.printCode(['read']);
    there.clock.advance(printed.lifeMs);
    expect(await refusal(pairingClient(there).sealed({ code: late }))).toContain('not valid');
  });

  test('is valid for one of two clients that have it', async () => {
    const there = pairingMachine();
    const { code } = there.pairing.printCode(['read']);
    const both = await Promise.all([1, 2].map(() => refusal(pairingClient(there).sealed({ code }))));
    expect(both.toSorted()).toEqual(
      ['This code is not valid, was used already, or is older than two minutes', 'no refusal'].toSorted(),
    );
  });

  test('an address that guesses is locked out, also with the right code, and others are not', async () => {
    const there = pairingMachine();
    const { code } = there.pairing.printCode(['read']);
    const { allowed } = budgets.unauthenticated.wrongSecrets;
    for (let tries = 0; tries < allowed; tries++)
      expect(await refusal(pairingClient(there).clear({ code: 'AAAA-BBBB-CCCC' }))).toContain('not valid');
    for (const guess of ['AAAA-BBBB-CCCC', code])
      expect(await refusal(pairingClient(there).clear({ code: guess }))).toContain('Too many codes');
    expect(there.lines).toEqual(['access: too many pairing codes from 192.168.1.20']);
    expect((await pairingClient(there, { address: '192.168.1.21' }).clear({ code })).session.scopes).toEqual(['read']);
  });

  test('the number of guesses of a whole network is limited', async () => {
    const there = pairingMachine();
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
          connectionFrom(`10.1.${at >> 8}.${at & 255}`),
        ),
      );
    expect(await refusal(pairingClient(there).clear({ code }))).toContain('not valid');
  });

  test('a man in the middle gains nothing from the proof', async () => {
    const there = pairingMachine();
    const { code } = there.pairing.printCode(['read']);
    let seen: Body = {};
    const { sealed } = pairingClient(there, {
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
      expect(await refusal(there.pairing.ask(wishOf(again), connectionFrom('10.0.0.9')))).not.toBe('no refusal');
    expect(there.tokens.list()).toHaveLength(2);
  });
});
