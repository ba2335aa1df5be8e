import { expect, test } from 'bun:test';
import { fakeClock, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { createTokenUses } from './token-uses.ts';

const paths = { state: '/state' } as Parameters<typeof createTokenUses>[0]['paths'];

test('a use is saved within a second; further ones of this token once a minute', () => {
  const storage = memoryStorage();
  const clock = fakeClock();
  const saved = () => {
    const killed = createTokenUses({ storage, paths, clock });
    return [killed.of('phone')?.at ?? null, killed.of('tablet')?.at ?? null];
  };
  const uses = createTokenUses({ storage, paths, clock });
  let writes = 0;
  const { write } = storage;
  storage.write = (...given) => {
    writes += 1;
    write(...given);
  };
  const started = clock.now();
  uses.note('phone', () => '::1');
  uses.note('tablet', () => '::1');
  clock.advance(1000);
  expect([writes, saved()]).toEqual([1, [started, started]]);
  for (let second = 0; second < 300; second += 1) {
    clock.advance(1000);
    uses.note('phone', () => '::1');
  }
  clock.advance(1000);
  expect(writes).toBeLessThanOrEqual(6);
  expect(saved()[0]).toBeGreaterThan(clock.now() - 62_000);
});

test('a use is recorded once a second, saved at the end, and known after a restart', () => {
  const storage = memoryStorage();
  const clock = fakeClock();
  const uses = createTokenUses({ storage, paths, clock });
  let asked = 0;
  const address = () => {
    asked += 1;
    return '192.168.1.9';
  };
  for (let index = 0; index < 100; index++) uses.note('phone', address);
  expect(asked).toBe(1);
  expect(uses.of('phone')).toEqual({ at: clock.now(), address: '192.168.1.9' });
  expect(uses.of('other')).toBeNull();
  expect(storage.contents.size).toBe(0);
  clock.advance(2000);
  uses.note('phone', address);
  uses.close();
  expect(createTokenUses({ storage, paths, clock }).of('phone')?.at).toBe(clock.now());
});

test('the list is bounded, and a damaged file starts an empty one', () => {
  const storage = memoryStorage({ '/state/token-uses.json': '{"a":{"at":"x"},"b":' });
  const clock = fakeClock();
  const uses = createTokenUses({ storage, paths, clock });
  expect(uses.of('a')).toBeNull();
  for (let index = 0; index < 1000; index++) {
    clock.advance(1);
    uses.note(`token ${index}`, () => '::1');
  }
  uses.close();
  const saved = JSON.parse(storage.contents.get('/state/token-uses.json') ?? '{}');
  expect(Object.keys(saved)).toHaveLength(400);
  expect(saved['token 999']).toBeDefined();
});

test('addresses that used a token are known, also after a restart', () => {
  const storage = memoryStorage();
  const clock = fakeClock();
  const uses = createTokenUses({ storage, paths, clock });
  uses.note('phone', () => '192.0.2.1');
  clock.advance(1000);
  uses.note('phone', () => '192.0.2.2');
  expect(['192.0.2.1', '192.0.2.2', '192.0.2.3'].map(uses.isKnown)).toEqual([true, true, false]);
  uses.close();
  expect(createTokenUses({ storage, paths, clock }).isKnown('192.0.2.2')).toBe(true);
});
