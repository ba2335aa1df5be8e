import { expect, test } from 'bun:test';
import { fakeClock, memoryStorage } from '../../../test/doubles/fake-host.ts';
import type { EarlierPress } from '../host.ts';
import { createKeptToasts } from './kept-toasts.ts';
import { createToastPresses } from './toast-presses.ts';

const days = 24 * 3_600_000;

/** Processes of one service, one after another. */
function machine() {
  const [clock, storage] = [fakeClock(), memoryStorage()];
  const account = { canOpen: true };
  const sealing = {
    seal: async (text: string) => Buffer.from(text).toString('base64'),
    async open(sealed: string) {
      if (!account.canOpen) throw new Error('it belongs to another account of Windows');
      return Buffer.from(sealed, 'base64').toString();
    },
  };
  const start = (own: { sealing?: typeof sealing } = { sealing }) => {
    const kept = createKeptToasts({ storage, clock, paths: { state: '/state' } as never, ...own } as never);
    const presses = createToastPresses(clock, kept);
    const earlier: EarlierPress[] = [];
    presses.followEarlier((press) => void earlier.push(press));
    return { presses, earlier };
  };
  return { clock, storage, account, start, file: () => storage.contents.get('/state/toasts') };
}

test('an address is accepted once, within three days, and only as it was given', async () => {
  const { clock, start } = machine();
  const { presses } = start();
  const pressed: string[] = [];
  const expectPress = () => presses.expect((key) => void pressed.push(key));
  const [first, forgotten, late] = [expectPress(), expectPress(), expectPress()];
  for (const wrong of ['', 'hostler:', `hostler:${'0'.repeat(32)}-yes`, `x${first.addressOf('yes')}`])
    expect(await presses.accept(wrong)).toBe(false);
  expect(await presses.accept(first.addressOf('button-1'))).toBe(true);
  expect(await presses.accept(first.addressOf('button-1'))).toBe(false);
  forgotten.forget();
  expect(await presses.accept(forgotten.addressOf('yes'))).toBe(false);
  clock.advance(3 * days + 1);
  expect(await presses.accept(late.addressOf('yes'))).toBe(false);
  expect(pressed).toEqual(['button-1']);
});

test('a later process accepts the press of a kept toast once, and gets what was kept with it', async () => {
  const { start, file, clock } = machine();
  const before = start();
  const tag = await before.presses.nextTag();
  const toast = before.presses.expect(() => {});
  const lost = before.presses.expect(() => {});
  expect(await toast.keep(tag, { tokenId: 'main' })).toBe(true);
  clock.advance(3_600_000);
  const after = start();
  expect(await after.presses.earlierTags()).toEqual([tag]);
  expect(await after.presses.nextTag()).toBe(tag + 1);
  const answers = await Promise.all([1, 2].map(() => after.presses.accept(toast.addressOf('button-2'))));
  expect(answers).toEqual([true, false]);
  expect(after.earlier).toEqual([{ tag, key: 'button-2', about: { tokenId: 'main' } }]);
  expect(await after.presses.accept(lost.addressOf('button-1'))).toBe(false);
  expect(file()).toBeUndefined();
  expect(await start().presses.accept(toast.addressOf('button-2'))).toBe(false);
});

test('the file is sealed, and does not contain the address', async () => {
  const { start, file } = machine();
  const { presses } = start();
  const toast = presses.expect(() => {});
  await toast.keep(1, { secret: 'data of a button' });
  const [, id = ''] = /^hostler:([0-9a-f]{32})-/.exec(toast.addressOf('x')) ?? [];
  expect(file()).not.toContain('secret');
  expect(Buffer.from(file() ?? '', 'base64').toString()).toContain('data of a button');
  expect(Buffer.from(file() ?? '', 'base64').toString()).not.toContain(id);
});

test.each<[string, (parts: ReturnType<typeof machine>, forget: () => void) => void]>([
  ['expired', ({ clock }) => clock.advance(3 * days + 1)],
  ['withdrawn', (_parts, forget) => forget()],
  ['sealed by another account', ({ account }) => Object.assign(account, { canOpen: false })],
  ['damaged', ({ storage }) => void storage.contents.set('/state/toasts', 'bnVsbA==')],
])('a kept toast is not accepted when it is %s', async (_how, happens) => {
  const parts = machine();
  const toast = parts.start().presses.expect(() => {});
  await toast.keep(1, {});
  happens(parts, toast.forget);
  await new Promise((resolve) => setImmediate(resolve));
  const after = parts.start();
  expect(await after.presses.accept(toast.addressOf('default'))).toBe(false);
  expect(after.earlier).toEqual([]);
});

test('the 20 latest toasts are kept; without sealing, and with much data, none is', async () => {
  const { start } = machine();
  const { presses } = start();
  const toasts = Array.from({ length: 22 }, () => presses.expect(() => {}));
  for (const [at, toast] of toasts.entries()) await toast.keep(at + 1, {});
  expect(await start().presses.earlierTags()).toEqual(Array.from({ length: 20 }, (_, at) => at + 3));
  expect(await presses.expect(() => {}).keep(23, { data: 'x'.repeat(17_000) })).toBe(false);
  expect(
    await machine()
      .start({})
      .presses.expect(() => {})
      .keep(1, {}),
  ).toBe(false);
});
