import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost, memoryStorage, noBus } from '../../../test/doubles/fake-host.ts';
import type { DesktopSession, FoundSession } from '../../host/linux/desktop/desktop-session.ts';
import { keyboardCancel, keyboardKeypress, keyboardText } from './keyboard.ts';

const sessionWith = (found: Partial<FoundSession>): DesktopSession => ({
  find: async () => ({ variables: {}, wayland: null, x11: null, ...found }),
  watch: () => () => {},
});
const storage = memoryStorage();
const parts = { storage, dbus: { system: noBus, session: noBus }, paths: { config: '/c', state: '/s', runtime: null } };

test('without a desktop session the error names the missing session', async () => {
  const { context } = fakeActionContext(fakeHost({ ...parts, session: sessionWith({}) }));
  const sentence = expect.stringContaining('no desktop session of this user is running');
  await expect(keyboardText.run({ text: 'secret' }, context)).rejects.toMatchObject({
    code: 'unsupported',
    message: sentence,
  });
  await expect(keyboardKeypress.run({ key: 'enter' }, context)).rejects.toMatchObject({ code: 'unsupported' });
  expect(await keyboardText.unavailable(context)).toEqual(sentence);
});

test('with a session but no backend the error lists every backend', async () => {
  const session = sessionWith({ wayland: '/nonexistent/wayland-0' });
  const { context } = fakeActionContext(fakeHost({ ...parts, session }));
  const reason = await keyboardText.unavailable(context);
  for (const way of ['virtual-keyboard-v1', "GNOME's remote desktop", 'portal']) expect(reason).toContain(way);
});

test.each([
  [{ key: 'nokey' }, 'there is no key "nokey"'],
  [{ key: '\x01' }, 'there is no such key'],
  [{ key: 'a', modifiers: ['enter'] }, '"enter" is not a modifier'],
  [{ key: 'a', modifiers: ['b'] }, '"b" is not a modifier'],
])('%p is refused before a backend is searched', async (input, sentence) => {
  const { context } = fakeActionContext(fakeHost(parts));
  await expect(keyboardKeypress.run(input, context)).rejects.toMatchObject({
    code: 'invalid',
    message: expect.stringContaining(sentence),
  });
});

test('an empty text succeeds at once, and control characters are refused', async () => {
  const { context } = fakeActionContext(fakeHost(parts));
  expect((await keyboardText.run({ text: '' }, context)).data).toEqual({ characters: 0 });
  await expect(keyboardText.run({ text: 'secret\x01' }, context)).rejects.toThrow(/^(?!.*secret).*control character/);
});

test('more than a hundred queued requests of a token are refused, and another token can type', async () => {
  const found = Promise.withResolvers<FoundSession>();
  const session = { find: () => found.promise, watch: () => () => {} };
  const { context } = fakeActionContext(fakeHost({ ...parts, session }));
  const typing = Array.from({ length: 110 }, () => keyboardText.run({ text: 'x' }, context).catch(({ code }) => code));
  const caller = { ...context.caller, tokenId: 'other' };
  const other = keyboardText.run({ text: 'x' }, { ...context, caller }).catch(({ code }) => code);
  await new Promise((resolve) => setTimeout(resolve, 10));
  found.resolve({ variables: {}, wayland: null, x11: null });
  expect(await other).toBe('unsupported');
  const codes = await Promise.all(typing);
  expect(codes.filter((code) => code === 'rate_limited')).toHaveLength(10);
  expect(codes.filter((code) => code === 'unsupported')).toHaveLength(100);
});

test('a text that would take hours is refused before a backend is searched', async () => {
  const { context } = fakeActionContext(fakeHost(parts));
  const typing = keyboardText.run({ text: 'x'.repeat(10_000), delay: 1000 }, context);
  await expect(typing).rejects.toMatchObject({ code: 'invalid', message: expect.stringContaining('9999 s') });
});

test('a text of a disconnected caller is not typed, and all queued requests can be cancelled', async () => {
  const found = Promise.withResolvers<FoundSession>();
  const searching = Promise.withResolvers<void>();
  const find = () => {
    searching.resolve();
    return found.promise;
  };
  const session = { find, watch: () => () => {} };
  const { context } = fakeActionContext(fakeHost({ ...parts, session }));
  const connection = new AbortController();
  const first = keyboardText.run({ text: 'x' }, context).catch(({ message }) => message);
  const gone = keyboardText.run({ text: 'x' }, { ...context, signal: connection.signal }).catch((thrown) => thrown);
  const waiting = keyboardText.run({ text: 'x' }, context).catch(({ message }) => message);
  await searching.promise;
  connection.abort(new Error('the connection was closed'));
  expect(String(await gone)).toContain('the connection was closed');
  expect((await keyboardCancel.run({}, context)).data).toEqual({ cancelled: 2 });
  expect(await waiting).toContain('cancelled by main');
  found.resolve({ variables: {}, wayland: null, x11: null });
  expect(await first).toContain('cancelled by main');
  expect(await keyboardCancel.run({}, context)).toEqual({ message: 'Nothing was being typed', data: { cancelled: 0 } });
});
