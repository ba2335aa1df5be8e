import { describe, expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { desktopShown, elsewhere, hiddenDesktops, nativeOf } from '../../../test/doubles/recorded-native.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { clipboardActions } from './clipboard.actions.ts';
import { type ClipboardFound, pngOf, utf8Of } from './user32-clipboard.windows.ts';

const [get, set] = clipboardActions;
const png = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(64)]);

function machine(found: ClipboardFound | Error, outcome: 'done' | 'busy' | 'failed' = 'done', shown = desktopShown()) {
  const asked: unknown[] = [];
  const native = {
    clipboard: {
      read: (...args: unknown[]) => {
        asked.push(args[0]);
        if (found instanceof Error) throw found;
        return found;
      },
      write: (kind: string, bytes: Uint8Array) => {
        asked.push([kind, Buffer.from(bytes).toString('hex')]);
        return outcome;
      },
    },
  } as unknown as Native;
  const host = fakeHost({ platform: 'windows', native: nativeOf(shown), nativeElsewhere: elsewhere(native) } as never);
  return { asked, ...fakeActionContext(host) };
}

describe('the clipboard of Windows', () => {
  test.each([
    [{}, ['text', 'png']],
    [{ format: 'text' }, ['text']],
    [{ format: 'png' }, ['png']],
  ] as const)('is read for %p as %p', async (input, kinds) => {
    const { context, asked } = machine({ kind: 'text', bytes: Buffer.from('ä€😀') });
    expect((await get.run(input, context)).data).toEqual({ format: 'text', text: 'ä€😀', png: null, size: 9 });
    expect(asked).toEqual([kinds]);
  });

  test.each(hiddenDesktops)('%s it is neither read nor changed', async (_when, shown, sentence) => {
    const { context, asked } = machine({ problem: 'empty' }, 'done', shown);
    await expect(get.run({}, context)).rejects.toThrow(sentence);
    await expect(set.run({ text: 'x' }, context)).rejects.toThrow(sentence);
    expect(asked).toEqual([]);
  });

  test('returns a picture', async () => {
    const { context } = machine({ kind: 'png', bytes: png });
    expect((await get.run({}, context)).data).toMatchObject({ format: 'png', text: null, png: png.toString('base64') });
  });

  test.each([
    [{ problem: 'busy' }, 'conflict', 'Another program keeps the clipboard open'],
    [{ problem: 'empty' }, 'not_found', 'The clipboard is empty'],
    [{ problem: 'secret' }, 'forbidden', 'marked as a secret'],
    [{ problem: 'none' }, 'not_found', 'neither text nor a PNG picture'],
    [{ problem: 'failed' }, 'failed', 'did not supply it'],
    [{ problem: 'too large', kind: 'png' }, 'too_large', 'more than 8 MiB'],
    [{ problem: 'too large', kind: 'text' }, 'too_large', 'more than 1 MiB'],
    [new Error('Windows did not answer within 8 s'), 'failed', 'cannot be read: Windows did not answer'],
  ] as const)('%p is an error with a reason', async (found, code, sentence) => {
    const refused = get.run({}, machine(found).context);
    await expect(refused).rejects.toMatchObject({ code });
    await expect(refused).rejects.toThrow(sentence);
  });

  test('accepts text and pictures, and a refusal is an error', async () => {
    const text = machine({ problem: 'empty' });
    expect((await set.run({ text: 'é' }, text.context)).data).toEqual({ format: 'text', size: 2 });
    expect(text.asked).toEqual([['text', 'c3a9']]);
    const picture = machine({ problem: 'empty' });
    await set.run({ png: png.toString('base64') }, picture.context);
    expect(picture.asked).toEqual([['png', png.toString('hex')]]);
    await expect(set.run({ text: 'x' }, machine({ problem: 'empty' }, 'busy').context)).rejects.toMatchObject({
      code: 'conflict',
    });
    await expect(set.run({ text: 'x' }, machine({ problem: 'empty' }, 'failed').context)).rejects.toMatchObject({
      code: 'failed',
    });
  });
});

test.each([
  ['a\0rubbish', 'a'],
  ['no end', 'no end'],
  ['', ''],
  ['ä€😀\0', 'ä€😀'],
  ['half \ud83d\0', 'half \ufffd'],
])('text %j of Windows is %j', (units, expected) => {
  expect(Buffer.from(utf8Of(new Uint8Array(Buffer.from(units, 'utf16le')))).toString()).toBe(expected);
});

test('half a unit at the end of a text is left out', () => {
  expect(Buffer.from(utf8Of(new Uint8Array([0x41, 0, 0x42]))).toString()).toBe('A');
});

test('padding after the end of a picture is removed', () => {
  const whole = Buffer.concat([png, Buffer.from('IEND'), Buffer.from('ae426082', 'hex')]);
  expect(Buffer.from(pngOf(Buffer.concat([whole, Buffer.alloc(100)])))).toEqual(whole);
  expect(Buffer.from(pngOf(png))).toEqual(png);
});

test('a token has four writes in progress at most, and another token is still served', async () => {
  const { context } = machine({ problem: 'empty' });
  const write = (tokenId: string) => set.run({ text: 'x' }, { ...context, caller: { ...context.caller, tokenId } });
  const outcomes = await Promise.allSettled([...Array.from({ length: 5 }, () => write('one')), write('two')]);
  expect(outcomes.map(({ status }) => status)).toEqual([...Array(4).fill('fulfilled'), 'rejected', 'fulfilled']);
  expect(outcomes[4]).toMatchObject({ reason: { code: 'rate_limited' } });
});
