import { describe, expect, test } from 'bun:test';
import {
  type Change,
  connectionFrom,
  digitsIn,
  ownCertificate,
  pairingClient,
  pairingMachine,
  refusal,
  relaysCertificate,
} from '../../../test/harness/pairing.ts';
import { until } from '../../../test/harness/until.ts';
import { makeNonce, makePairKey } from '../../lib/pairing/pairing-crypto.ts';

describe('a man in the middle of a pairing', () => {
  test('with its own keys causes different digits on the two sides', async () => {
    const there = pairingMachine();
    const own = await makePairKey();
    const { shown, sealed } = pairingClient(there, {
      there: (path, body) =>
        path === '/api/pair' ? { ...body, agreed: { ...Object(body.agreed), public_key: own.publicKey } } : body,
    });
    void refusal(sealed());
    await until(() => shown.length === 1 && there.prompts.length === 1, 'the prompt is shown');
    expect(digitsIn(there.prompts[0])).not.toBe(shown[0] ?? '');
    there.prompts[0]?.answer('denied');
  });

  test.each([
    ['the key of the service', '/api/pair/begin', async () => ({ public_key: (await makePairKey()).publicKey })],
    ['its nonce', '/api/pair', async () => ({ nonce: makeNonce() })],
    ['its commitment', '/api/pair/begin', async () => ({ commitment: makeNonce() })],
  ])('that changes %s is detected before any digits are shown', async (_what, path, make) => {
    const there = pairingMachine();
    const change = await make();
    const { shown, sealed } = pairingClient(there, {
      back: (at, body) => (at === path ? { ...body, ...change } : body),
    });
    expect(await refusal(sealed())).toContain('Nothing was accepted');
    expect(shown).toEqual([]);
  });

  test('that sends a malformed key is named as such', async () => {
    const { sealed } = pairingClient(pairingMachine(), { back: (_at, body) => ({ ...body, public_key: '?' }) });
    expect(await refusal(sealed({ code: '123456' }))).toContain('its field public_key is missing or malformed');
    const commitment = pairingClient(pairingMachine(), {
      back: (_at, body) => ({ ...body, commitment: { toString: 1 } }),
    });
    expect(await refusal(commitment.sealed())).toContain('its field commitment is missing or malformed');
  });

  test('that changes the scopes, the name or the session key causes different digits', async () => {
    const browser = { public_key: (await makePairKey()).publicKey, stay: true };
    for (const change of [{ scopes: ['read', 'command'] }, { name: 'phone' }, { browser }]) {
      const there = pairingMachine();
      const { shown, sealed } = pairingClient(there, {
        there: (path, body) => (path === '/api/pair' ? { ...body, ...change } : body),
      });
      void refusal(sealed());
      await until(() => shown.length === 1 && there.prompts.length === 1, 'the prompt is shown');
      expect(digitsIn(there.prompts[0])).not.toBe(shown[0] ?? '');
      there.prompts[0]?.answer('denied');
    }
  });

  const withCertificate =
    (certificate: string | null): Change =>
    (path, body) =>
      path === '/api/pair' ? { ...body, agreed: { ...Object(body.agreed), certificate } } : body;

  test('that relays everything with its own TLS certificate is refused', async () => {
    const there = pairingMachine();
    const { shown, sealed } = pairingClient(there);
    expect(await refusal(sealed({ certificate: relaysCertificate }))).toContain(
      'is not the certificate of this machine',
    );
    expect([shown, there.prompts]).toEqual([[], []]);
  });

  test.each([
    ['replaces', ownCertificate],
    ['leaves out', null],
  ])(
    'a relay that %s the fingerprint of the client causes different digits, and a code grants nothing',
    async (_how, certificate) => {
      const there = pairingMachine();
      const { shown, sealed } = pairingClient(there, { there: withCertificate(certificate) });
      void refusal(sealed({ certificate: relaysCertificate }));
      await until(() => shown.length === 1 && there.prompts.length === 1, 'the prompt is shown');
      expect(digitsIn(there.prompts[0])).not.toBe(shown[0] ?? '');
      there.prompts[0]?.answer('denied');
      const { code } = there.pairing.printCode(['read']);
      expect(await refusal(sealed({ certificate: relaysCertificate, code }))).toContain('This code is not valid');
      expect(there.tokens.list()).toHaveLength(1);
    },
  );

  test('over TLS with the certificate of the machine both sides show the same digits', async () => {
    const there = pairingMachine();
    const { shown, sealed } = pairingClient(there, { isEncrypted: true });
    const asking = sealed({ certificate: ownCertificate });
    await until(() => shown.length === 1 && there.prompts.length === 1, 'the prompt is shown');
    expect(digitsIn(there.prompts[0])).toBe(shown[0] ?? '');
    expect(there.prompts[0]?.text).toContain('A program at 192.168.1.20 wants to: read');
    there.prompts[0]?.answer('allowed');
    expect((await asking).scopes).toEqual(['read']);
  });

  test('a program is never granted access without keys', async () => {
    const { pairing, prompts } = pairingMachine();
    const wish = { name: 'x', isNamed: true, scopes: null, browser: null };
    expect(await refusal(pairing.ask({ ...wish, way: { secret: makeNonce() } }, connectionFrom('10.0.0.1')))).toContain(
      'without encryption',
    );
    expect(await refusal(pairing.ask({ ...wish, way: { code: 'x' } }, connectionFrom('10.0.0.1')))).toContain(
      'without encryption',
    );
    expect(prompts).toHaveLength(0);
  });
});
