import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { desktopShown, hiddenDesktops, nativeOf } from '../../../test/doubles/recorded-native.ts';
import { until } from '../../../test/harness/until.ts';
import type { KeyStroke } from '../../host/windows/native/user32.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { keyboardWindows } from './keyboard.windows.ts';

function machine(taken = (strokes: KeyStroke[]) => strokes.length, shown = desktopShown()) {
  const sent: string[] = [];
  const show = ({ virtual, unit, isUp }: KeyStroke) =>
    `${isUp ? '-' : '+'}${virtual === 0 ? `u${unit.toString(16)}` : virtual.toString(16)}`;
  const user32 = {
    sendKeys(strokes: KeyStroke[]) {
      sent.push(strokes.map(show).join(' '));
      return taken(strokes);
    },
  };
  const parts = { native: nativeOf({ user32, ...shown }) };
  const host = fakeHost(parts as object);
  const stopping = new AbortController();
  const { context } = fakeActionContext(host, { signal: stopping.signal });
  return { stopping, keyboard: keyboardWindows(host as unknown as WindowsHost), context, sent };
}

test.each(hiddenDesktops)('%s nothing is typed', async (_when, shown, sentence) => {
  const { keyboard, context, sent } = machine(undefined, shown);
  expect(await keyboard.unavailable()).toContain(sentence);
  await expect(keyboard.text({ text: 'a' }, context)).rejects.toThrow(sentence);
  await expect(keyboard.keypress({ key: 'enter' }, context)).rejects.toThrow(sentence);
  expect(sent).toEqual([]);
});

test('a character beyond U+FFFF is two units, and a line end is Enter', async () => {
  const { keyboard, context, sent } = machine();
  const characters = await keyboard.text({ text: 'é😀\r\n' }, context);
  expect(sent).toEqual(['+ue9 -ue9', '+ud83d -ud83d +ude00 -ude00', '+d -d']);
  expect(characters).toBe(3);
});

test('with Ctrl held a letter is its virtual key, and keys are released in reverse order', async () => {
  const { keyboard, context, sent } = machine();
  await keyboard.keypress({ key: 'c', modifiers: ['control', 'right_shift'] }, context);
  expect(sent).toEqual(['+a2 +a1 +43', '-43 -a1 -a2']);
});

test('input that Windows rejects is reported, and no key stays down', async () => {
  const { keyboard, context, sent } = machine(() => 0);
  await expect(keyboard.keypress({ key: 'enter', modifiers: ['alt'] }, context)).rejects.toThrow('higher rights');
  expect(sent).toEqual(['+a4 +d', '-d -a4']);
});

test('a held key is released as soon as typing is stopped', async () => {
  const { keyboard, context, sent, stopping } = machine();
  const pressing = keyboard.keypress({ key: 'enter', delay: 60_000 }, context);
  await until(() => sent.length === 1, 'the key to be down');
  stopping.abort(new Error('paused'));
  await expect(pressing).rejects.toThrow('paused');
  expect(sent).toEqual(['+d', '-d']);
});

test.each([
  [{ key: 'nonsense' }, 'no key "nonsense"'],
  [{ key: 'lights_mon_up' }, 'Windows has no key'],
  [{ key: 'a', modifiers: ['enter'] }, 'is not a modifier'],
])('%p is refused before anything is pressed', async (input, sentence) => {
  const { keyboard, context, sent } = machine();
  await expect(keyboard.keypress(input, context)).rejects.toThrow(sentence);
  expect(sent).toEqual([]);
});

test('a text with a character that no key produces is refused as a whole', async () => {
  const { keyboard, context, sent } = machine();
  await expect(keyboard.text({ text: 'a\u0001b' }, context)).rejects.toThrow('control character');
  expect(sent).toEqual([]);
});
