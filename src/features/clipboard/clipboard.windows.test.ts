import { describe, expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { desktopShown, elsewhere, hiddenDesktops, nativeOf } from '../../../test/doubles/recorded-native.ts';
import { collectReasons, testEachMachine } from '../../../test/harness/machines.ts';
import { until } from '../../../test/harness/until.ts';
import type { Native } from '../../host/windows/native/native.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { mostReadBytes } from './clipboard.content.ts';
import { clipboardSchema } from './clipboard.schema.ts';
import { clipboard } from './clipboard.ts';
import { followedClipboardWindows } from './clipboard.windows.ts';
import { type ClipboardLook, cutText } from './user32-clipboard.windows.ts';

testEachMachine('windows', import.meta.dirname, clipboard.module, followedClipboardWindows);

type Answer = ClipboardLook | Error;

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** `isLost`: the subscription is lost while it starts, as when the thread of the window ends. */
function machine({ withheld = false, refusal = null as Error | null, isLost = false } = {}) {
  const state = { desktop: desktopShown(), now: { problem: 'empty' } as Answer, reads: 0, follows: 0, changes: 0 };
  const listening = new Set<{ changed(): void; lost(): void }>();
  const look = (most: number) => {
    expect(most).toBe(mostReadBytes);
    state.reads += 1;
    if (state.now instanceof Error) throw state.now;
    return state.now;
  };
  const unlocked = new Set<(event: 'unlock') => void>();
  const messages = {
    async follow(received: (event: 'unlock') => void) {
      unlocked.add(received);
      return () => void unlocked.delete(received);
    },
    async followClipboard(changed: () => void, lost: () => void) {
      state.follows += 1;
      if (isLost) lost();
      if (refusal !== null) throw refusal;
      const one = { changed, lost };
      listening.add(one);
      return () => void listening.delete(one);
    },
  };
  const native = { clipboard: { look } } as unknown as Native;
  const desktop = {
    get inputDesktop() {
      return state.desktop.inputDesktop;
    },
    get wtsapi32() {
      return state.desktop.wtsapi32;
    },
  };
  const parts = { native: nativeOf(desktop), nativeElsewhere: elsewhere(native), messages };
  const host = fakeHost({ platform: 'windows', ...parts } as never);
  const source = followedClipboardWindows(host as unknown as WindowsHost, { ...fakeContext(), withheld });
  const read = () => {
    const { reasons, collected } = collectReasons();
    const payload = source.read(reasons);
    return { payload: clipboardSchema.parse(payload), reasons: collected };
  };
  return {
    state,
    listening,
    unlocked,
    clock: host.clock,
    read,
    watch: () => source.watch?.(() => state.changes++) ?? (() => {}),
    copy(next: Answer) {
      state.now = next;
      for (const { changed } of listening) changed();
    },
    lose() {
      for (const { lost } of [...listening]) lost();
      listening.clear();
    },
    async content() {
      const before = state.changes;
      await until(() => state.changes > before, 'a change is reported');
      return read().payload.content;
    },
  };
}

const text = (value: string, isCut = false): ClipboardLook => ({
  types: ['text/plain'],
  text: { bytes: Buffer.from(value), isCut },
});

describe('following the clipboard of Windows', () => {
  test('without a listener that has the scope nothing is read', async () => {
    const idle = machine();
    expect(idle.read().payload).toEqual({ content: null });
    expect(idle.read().reasons[0]?.reason).toContain('only while a client listens');
    const blind = machine({ withheld: true });
    const stop = blind.watch();
    expect(blind.read().payload).toEqual({ content: null });
    stop();
    for (const { state, listening } of [idle, blind])
      expect([state.reads, state.follows, listening.size]).toEqual([0, 0, 0]);
  });

  test('content copied before has no time, content copied later has one', async () => {
    const { watch, copy, content, read, clock, listening } = machine();
    const stop = watch();
    expect(await content()).toMatchObject({ kind: 'empty', changed_at: null });
    copy(text('ä€😀'));
    expect(await content()).toEqual({
      kind: 'text',
      text: 'ä€😀',
      truncated: false,
      types: ['text/plain'],
      size: 9,
      changed_at: Math.floor(clock.now() / 1000),
    });
    stop();
    expect(listening.size).toBe(0);
    expect(read().payload).toEqual({ content: null });
  });

  test.each<[Answer, object, string | null]>([
    [{ problem: 'secret' }, { kind: 'secret', text: null, types: [], size: null }, 'marked as a secret'],
    [{ problem: 'empty' }, { kind: 'empty', text: null }, 'The clipboard is empty'],
    [{ problem: 'busy' }, { kind: null, text: null }, 'Another program keeps the clipboard open'],
    [
      { types: ['image/png', 'image/bmp'] },
      { kind: 'image', types: ['image/png', 'image/bmp'] },
      'The content is a picture',
    ],
    [{ types: ['text/uri-list'] }, { kind: 'other', types: ['text/uri-list'] }, 'neither text nor a picture'],
    [{ types: [] }, { kind: 'other', types: [] }, 'neither text nor a picture'],
    [{ types: ['text/plain'], text: null }, { kind: 'text', text: null, size: null }, 'did not supply it'],
    [text('x'.repeat(70_000)), { text: 'x'.repeat(65_536), truncated: true, size: 70_000 }, null],
    [text('x'.repeat(70_000), true), { text: 'x'.repeat(65_536), truncated: true, size: null }, null],
    // Half a character at the end is left out.
    [text(`a${'€'.repeat(30_000)}`), { text: `a${'€'.repeat(21_845)}`, truncated: true, size: 90_001 }, null],
    [text(''), { kind: 'text', text: '', truncated: false, size: 0 }, null],
    [new Error('Windows did not answer within 8 s'), { kind: null }, 'cannot be read: Windows did not answer'],
  ])('copy %#', async (answer, expected, sentence) => {
    const { watch, copy, content, read } = machine();
    const stop = watch();
    await content();
    copy(answer);
    expect(await content()).toMatchObject(expected);
    const why = read().reasons.find(({ field }) => field === 'content.text')?.reason;
    if (sentence === null) expect(why).toBeUndefined();
    else expect(why).toContain(sentence);
    stop();
  });

  test.each(hiddenDesktops)(
    '%s it is not read; it is when the screen is unlocked',
    async (_when, desktop, sentence) => {
      const { watch, copy, content, read, state, unlocked } = machine();
      const stop = watch();
      await content();
      state.desktop = desktop;
      copy(text('secret'));
      expect(await content()).toMatchObject({ kind: null, text: null });
      expect(
        read()
          .reasons.map(({ reason }) => reason)
          .join(),
      ).toContain(sentence);
      expect(state.reads).toBe(1);
      state.desktop = desktopShown();
      const shown = content();
      for (const received of unlocked) received('unlock');
      expect(await shown).toMatchObject({ kind: 'text', text: 'secret' });
      stop();
      await turn();
      expect(unlocked.size).toBe(0);
    },
  );

  test('continuous copying causes at most five reads a second, and the last content is reported', async () => {
    const { watch, copy, content, state, clock, read } = machine();
    const stop = watch();
    await content();
    for (let at = 0; at < 50; at += 1) copy(text(`copy ${at}`));
    await content();
    expect(state.reads).toBeLessThanOrEqual(3);
    clock.advance(200);
    await until(() => read().payload.content?.text === 'copy 49', 'the last content is reported');
    expect(state.reads).toBeLessThanOrEqual(3);
    stop();
  });

  test('repeated reads of the module do not read the clipboard', async () => {
    const { watch, content, state, read } = machine();
    const stop = watch();
    await content();
    for (let at = 0; at < 10; at += 1) read();
    expect([state.reads, state.follows]).toEqual([1, 1]);
    stop();
  });

  test('a lost subscription is reported, and renewed at the next read', async () => {
    const { watch, content, copy, lose, read, state } = machine();
    const stop = watch();
    await content();
    copy(text('before'));
    await content();
    lose();
    const { payload, reasons } = read();
    expect(payload).toEqual({ content: null });
    expect(reasons).toMatchObject([{ field: 'content', mendable: true }]);
    expect(await content()).toMatchObject({ text: 'before', changed_at: null });
    expect(state.follows).toBe(2);
    stop();
  });

  test('a refused subscription is reported', async () => {
    const { watch, content, read } = machine({ refusal: new Error('no desktop') });
    const stop = watch();
    expect(await content()).toBeNull();
    expect(read().reasons[0]?.reason).toBe('The clipboard cannot be followed: no desktop');
    stop();
  });

  test('a subscription that fails while it starts is reported once, however often it is tried', async () => {
    const { watch, read, state } = machine({ refusal: new Error('no desktop'), isLost: true });
    const stop = watch();
    for (let tries = 1; tries < 5; tries += 1) {
      await until(() => state.follows === tries, 'it is tried');
      await turn();
      expect(read().reasons[0]?.reason).toBe('The clipboard cannot be followed: no desktop');
    }
    expect(state.changes).toBe(1);
    stop();
  });

  test('a listener that leaves before the subscription has started ends it', async () => {
    const { watch, listening, state } = machine();
    watch()();
    await until(() => state.follows === 1 && listening.size === 0, 'it is given up');
    expect([state.reads, state.changes]).toEqual([0, 0]);
  });
});

test.each([
  ['abc\0', 3, 'abc', false],
  ['abcd\0', 3, 'abc', true],
  ['€€\0', 6, '€€', false],
  ['€€\0', 5, '€\ufffd', true],
  ['', 5, '', false],
])('the text %j cut to %i bytes is %j', (units, most, expected, isCut) => {
  const cut = cutText(new Uint8Array(Buffer.from(units, 'utf16le')), most);
  expect([Buffer.from(cut.bytes).toString(), cut.isCut]).toEqual([expected, isCut]);
});
