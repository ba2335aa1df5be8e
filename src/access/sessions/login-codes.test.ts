import { describe, expect, test } from 'bun:test';
import { fakeClock, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { createLoginCodes } from './login-codes.ts';

const paths = { config: '/config', state: '/state', runtime: null };

describe('one-time codes', () => {
  test('a code is valid once and for a minute', () => {
    const clock = fakeClock();
    const storage = memoryStorage();
    const codes = createLoginCodes({ storage, paths, clock });
    expect(codes.redeem('')).toBe(false);
    const code = codes.issue();
    expect([...storage.contents.values()].join()).not.toContain(code);
    expect(codes.redeem('wrong')).toBe(false);
    expect(codes.redeem(code)).toBe(true);
    expect(codes.redeem(code)).toBe(false);
    const late = codes.issue();
    expect(codes.redeem('wrong')).toBe(false);
    clock.advance(60_001);
    expect(codes.redeem(late)).toBe(false);
  });

  test('wrong codes lock, read and write nothing, however many', () => {
    const storage = memoryStorage();
    const codes = createLoginCodes({ storage, paths, clock: fakeClock() });
    const done: string[] = [];
    const noting = <A extends unknown[], R>(name: string, work: (...given: A) => R) => {
      return (...given: A) => {
        done.push(name);
        return work(...given);
      };
    };
    const watched: typeof storage = {
      ...storage,
      read: noting('read', storage.read),
      write: noting('write', storage.write),
      remove: noting('remove', storage.remove),
      locked(file, work) {
        done.push('locked');
        return storage.locked(file, work);
      },
    };
    const code = codes.issue();
    const taking = createLoginCodes({ storage: watched, paths, clock: fakeClock() });
    for (let count = 0; count < 1000; count++) expect(taking.redeem(`wrong ${count}`)).toBe(false);
    // Once, to know what waits.
    expect(done).toEqual(['read']);
    expect(taking.redeem(code)).toBe(true);
    expect(done).toEqual(['read', 'locked', 'read', 'remove']);
  });
});
