import { describe, expect, test } from 'bun:test';
import {
  commitmentTo,
  commonSecrets,
  digitsOf,
  fromBase64url,
  makeNonce,
  makePairKey,
  seal,
  type Transcript,
  toBase64url,
  unseal,
} from './pairing-crypto.ts';

async function twoSides() {
  const [asker, service] = await Promise.all([makePairKey(), makePairKey()]);
  const transcript: Transcript = {
    id: 'attempt',
    askerKey: asker.publicKey,
    serviceKey: service.publicKey,
    askerNonce: makeNonce(),
    serviceNonce: makeNonce(),
    name: 'laptop',
    scopes: ['read', 'media'],
    browser: '',
    certificate: '',
  };
  return { asker, service, transcript };
}

describe('two sides without a relay', () => {
  test('have the same digits and the same secrets, one for each purpose', async () => {
    const { asker, service, transcript } = await twoSides();
    expect(await digitsOf({ ...transcript })).toBe(await digitsOf(transcript));
    expect(await digitsOf(transcript)).toMatch(/^\d{3} \d{3}$/);
    const mine = await commonSecrets(asker.privateKey, service.publicKey, transcript, 'CODE');
    const theirs = await commonSecrets(service.privateKey, asker.publicKey, transcript, 'CODE');
    const [a, b, claim] = await Promise.all([mine('delivery'), theirs('delivery'), theirs('claim')]);
    expect(a).toEqual(b);
    expect(a).not.toEqual(claim);
    expect(await unseal(a, await seal(b, { token: 'x' }))).toEqual({ token: 'x' });
  });

  test('a fixed input gives the recorded digits and secrets, so that versions stay compatible', async () => {
    const transcript = {
      id: 'id',
      askerKey: 'A',
      serviceKey: 'B',
      askerNonce: 'a',
      serviceNonce: 'b',
      name: 'laptop',
      scopes: ['read'],
      browser: '',
      certificate: '',
    };
    expect(await digitsOf(transcript)).toMatchInlineSnapshot(`"646 367"`);
    expect(await commitmentTo(transcript)).toMatchInlineSnapshot(`"rjksXgdujO1y3tZOWJCGeOXxomqwwoxRLc6RyXcu99M"`);
  });
});

describe('a relay between the two sides', () => {
  test('has other digits, whatever it changes', async () => {
    const { transcript } = await twoSides();
    const seen = await digitsOf(transcript);
    const changed = await Promise.all(
      (
        [
          { askerKey: (await makePairKey()).publicKey },
          { serviceKey: (await makePairKey()).publicKey },
          { askerNonce: makeNonce() },
          { serviceNonce: makeNonce() },
          { id: 'another' },
          { name: 'Laptop' },
          { browser: ' tab' },
          { certificate: 'AB:CD' },
          { scopes: ['read', 'media', 'command'] },
        ] satisfies Partial<Transcript>[]
      ).map((change) => digitsOf({ ...transcript, ...change })),
    );
    // Two of a million may be equal by chance; two pairs at once are not.
    expect(changed.filter((digits) => digits === seen).length).toBeLessThan(2);
  });

  test('cannot shift bytes between two parts', async () => {
    const { transcript } = await twoSides();
    const a = { ...transcript, name: 'ab', scopes: ['c'] };
    const b = { ...transcript, name: 'a', scopes: ['bc'] };
    const [first, second] = [await commonOf(a), await commonOf(b)];
    expect(first).not.toEqual(second);
  });

  test('cannot decrypt with its own key, nor without the code', async () => {
    const { asker, service, transcript } = await twoSides();
    const other = await makePairKey();
    const right = await commonSecrets(service.privateKey, asker.publicKey, transcript, 'CODE');
    const sealed = await seal(await right('delivery'), 'secret');
    for (const wrong of [
      await commonSecrets(other.privateKey, asker.publicKey, transcript, 'CODE'),
      await commonSecrets(asker.privateKey, service.publicKey, transcript, 'OTHER'),
    ])
      await expect(unseal(await wrong('delivery'), sealed)).rejects.toThrow();
    const bytes = fromBase64url(sealed);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await expect(unseal(await right('delivery'), toBase64url(bytes))).rejects.toThrow();
  });

  test.each([
    ['not on the curve', toBase64url(new Uint8Array(65).fill(4))],
    ['the point at infinity', toBase64url(new Uint8Array([0]))],
    ['too short', toBase64url(new Uint8Array(64).fill(4))],
  ])('a key that is %s is refused', async (_what, key) => {
    const { asker, transcript } = await twoSides();
    await expect(commonSecrets(asker.privateKey, key, transcript, '')).rejects.toThrow();
  });
});

const fixed = await makePairKey();
async function commonOf(transcript: Transcript): Promise<Uint8Array> {
  return await (await commonSecrets(fixed.privateKey, fixed.publicKey, transcript, ''))('claim');
}
