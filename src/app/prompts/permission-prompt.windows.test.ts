import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { nativeOf } from '../../../test/doubles/recorded-native.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { askUserWindows } from './permission-prompt.windows.ts';

type Reply = 'yes' | 'no' | null;

function asking(replies: { reply: Reply; afterMs: number }[]) {
  const clock = fakeClock();
  const shown: string[] = [];
  const dismissed: string[] = [];
  let dismiss = () => {};
  const dialogs = {
    async ask(_title: string, text: string): Promise<Reply> {
      shown.push(text);
      const next = replies.shift();
      if (next === undefined)
        return await new Promise((resolve) => {
          dismiss = () => resolve('no');
        });
      clock.advance(next.afterMs);
      return next.reply;
    },
    dismiss(title: string) {
      dismissed.push(title);
      dismiss();
      return true;
    },
  };
  const host = { clock, nativeElsewhere: () => dialogs, native: nativeOf({ dialogs }) } as unknown as WindowsHost;
  const gone = new AbortController();
  const answer = askUserWindows(host, { title: 'T', text: 'May it?', less: 'Only reading' }, gone.signal);
  return { answer, shown, dismissed, gone };
}

test.each([
  ['yes', 'allowed'],
  ['no', 'denied'],
] as const)('%s means %s, also where other prompts offer less', async (reply, meaning) => {
  const { answer, shown } = asking([{ reply, afterMs: 2000 }]);
  expect(await answer).toBe(meaning);
  expect(shown[0]).toBe('May it?\n\nYes: allow. No: deny.');
});

test('a Yes in the first second does not count, a No does', async () => {
  const again = asking([
    { reply: 'yes', afterMs: 300 },
    { reply: 'yes', afterMs: 1500 },
  ]);
  expect(await again.answer).toBe('allowed');
  expect(again.shown[1]).toContain('did not count');
  expect(await asking([{ reply: 'no', afterMs: 10 }]).answer).toBe('denied');
});

test('a prompt that cannot be shown rejects, and cancelling takes it off the screen', async () => {
  expect(asking([{ reply: null, afterMs: 0 }]).answer).rejects.toThrow('cannot show windows');
  const { answer, gone, dismissed } = asking([]);
  await new Promise((resolve) => setImmediate(resolve));
  gone.abort();
  expect(await answer).toBe('denied');
  expect(dismissed).toEqual(['T']);
});
