import { describe, expect, test } from 'bun:test';
import { fakeHost, memoryStorage, withSlashes } from '../../../test/doubles/fake-host.ts';
import type { Storage } from '../../host/storage.ts';
import { plainTypedCode } from '../../lib/pairing/typed-code.ts';
import { createLoginCodes, newLoginCode } from './login-codes.ts';
import { createSignIn } from './sign-in.ts';

const directories = ['/run/user/1000', '/state'];

function start(given: Partial<Storage> = {}, places: string[] = directories) {
  const storage = memoryStorage();
  const signature = (file: string) => (places.includes(withSlashes(file)) ? 'there' : storage.signature(file));
  const host = fakeHost({
    storage: { ...storage, signature, ...given },
    paths: { config: '/config', state: '/state', runtime: '/run/user/1000' },
  });
  const complaints: string[] = [];
  const signIn = createSignIn(host, createLoginCodes(host), (sentence) => complaints.push(sentence));
  const pages = () => [...storage.contents.keys()].filter((file) => file.endsWith('.html'));
  return { signIn, pages, complaints, clock: host.clock, storage };
}

const page = (code: string) => `<p>${code}</p>`;

describe('the sign-in page with a code', () => {
  test('lies in the runtime directory until its code is used, once', () => {
    const { signIn, pages, storage } = start();
    const { code, file } = signIn.offer(page);
    expect(pages()).toEqual(['/run/user/1000/hostler-sign-in-1.html']);
    expect(storage.read(file ?? '')).toBe(page(code));
    expect(signIn.isOffered(code)).toBe(true);
    expect(signIn.redeem('AAAA-BBBB-CCCC')).toBe(false);
    expect(pages()).toHaveLength(1);
    expect([signIn.isWaiting('AAAA-BBBB-CCCC'), signIn.isWaiting(code.toLowerCase())]).toEqual([false, true]);
    expect([signIn.redeem(code.toLowerCase()), signIn.redeem(code)]).toEqual([true, false]);
    expect(signIn.isWaiting(code)).toBe(false);
    expect(pages()).toEqual([]);
    expect(signIn.isOffered(code)).toBe(false);
  });

  test('is removed after a minute, and its code expires', () => {
    const { signIn, pages, clock } = start();
    const { code } = signIn.offer(page);
    clock.advance(60_001);
    expect([pages(), signIn.isOffered(code), signIn.redeem(code)]).toEqual([[], false, false]);
  });

  test('is removed when the service stops', () => {
    const { signIn, pages } = start();
    signIn.offer(page);
    signIn.offer(page);
    signIn.close();
    expect(pages()).toEqual([]);
  });

  test('an overwritten page is not removed when the earlier code expires', () => {
    const { signIn, pages, clock } = start();
    for (let count = 0; count < 5; count++) signIn.offer(page);
    clock.advance(50_000);
    signIn.offer(page);
    clock.advance(20_000);
    expect(pages()).toEqual(['/run/user/1000/hostler-sign-in-1.html']);
  });

  test.each([
    [['/run/user/1000'], [], '/state/hostler-sign-in-1.html'],
    [
      ['/home/tester/Downloads'],
      ['/home/tester/snap', '/home/tester', '/home/tester/Downloads'],
      '/home/tester/hostler-sign-in-1.html',
    ],
  ])('is not written where others could change it: %j', (exposed, more, file) => {
    const exposure = (place: string) =>
      exposed.includes(withSlashes(place)) ? { problem: 'it belongs to ann', fix: '' } : null;
    const { signIn } = start({ exposure }, [...directories, ...more]);
    expect(withSlashes(signIn.offer(page).file ?? '')).toBe(file);
  });

  test.each([
    [['/home/tester/snap', '/home/tester', '/home/tester/Downloads'], '/home/tester/Downloads/hostler-sign-in-1.html'],
    [['/home/tester/snap', '/home/tester'], '/home/tester/hostler-sign-in-1.html'],
  ])('is where snaps can read it: %j', (more, file) => {
    expect(withSlashes(start({}, [...directories, ...more]).signIn.offer(page).file ?? '')).toBe(file);
  });

  test('that cannot be written leaves the code to be typed', () => {
    const { signIn, complaints, storage } = start({
      write(file, text) {
        if (file.endsWith('.html')) throw new Error('read-only file system');
        storage.write(file, text);
      },
    });
    const { code, file } = signIn.offer(page);
    expect([file, complaints.length, signIn.redeem(code)]).toEqual([null, 1, true]);
  });
});

describe('sign-in codes', () => {
  test('have sixty bits, in three groups, and are never the same', () => {
    const codes = new Set(Array.from({ length: 1000 }, newLoginCode));
    expect(codes.size).toBe(1000);
    for (const code of codes) expect(code).toMatch(/^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/);
    expect(new Set([...codes].join('').replaceAll('-', '')).size).toBe(32);
  });

  test('are accepted in lower case, with spaces and look-alike letters', () => {
    for (const typed of ['k7qf-2m9x-3atb', ' K7QF2M9X3ATB ', 'K7QF 2M9X 3ATB'])
      expect(plainTypedCode(typed)).toBe('K7QF-2M9X-3ATB');
    expect(plainTypedCode('oil0-0000-0000')).toBe('0110-0000-0000');
  });
});
