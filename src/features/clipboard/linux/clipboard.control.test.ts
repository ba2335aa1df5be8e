import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { parse } from '../../../core/json/parse.ts';
import { clipboardActions } from '../clipboard.actions.ts';
import { clipboardSetInputSchema, mostPngBytes, mostTextBytes } from '../clipboard.schema.ts';
import { isMarkedSecret } from './clipboard.selection.ts';

const [get, set] = clipboardActions;
const noDesktop = () =>
  fakeHost({ session: { find: async () => ({ variables: {}, wayland: null, x11: null }), watch: () => () => {} } });
const reason = 'no desktop of this user is running';
const picture = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(64)]);

test('without a desktop both actions are unavailable, and refuse to run', async () => {
  const { context } = fakeActionContext(noDesktop());
  expect(await get.unavailable(context)).toContain(reason);
  expect(await set.unavailable(context)).toContain(reason);
  await expect(get.run({}, context)).rejects.toMatchObject({ code: 'unsupported' });
  await expect(set.run({ text: 'x' }, context)).rejects.toMatchObject({ code: 'unsupported' });
});

test('a compositor that has just ended is a failure with a reason', async () => {
  const find = async () => ({ variables: {}, wayland: '/run/gone/wayland-0', x11: null });
  const { context } = fakeActionContext(fakeHost({ session: { find, watch: () => () => {} } }));
  await expect(get.run({}, context)).rejects.toMatchObject({
    code: 'failed',
    message: 'The clipboard cannot be used: no server answers at /run/gone/wayland-0',
  });
});

test.each([
  ['nothing', {}],
  ['both', { text: 'a', png: 'aaaa' }],
  ['a text of more than 1 MiB', { text: 'x'.repeat(mostTextBytes + 1) }],
  ['a text of more than 1 MiB in UTF-8', { text: 'ä'.repeat(mostTextBytes / 2 + 1) }],
  ['a picture that is not base64', { png: '<svg>' }],
  ['a picture of more than 8 MiB', { png: 'A'.repeat(4 * Math.ceil(mostPngBytes / 3) + 4) }],
  ['a number', { text: 7 }],
])('%s is refused by the schema, without quoting it', async (_what, input) => {
  const refusal = (() => {
    try {
      parse(clipboardSetInputSchema, input, 'clipboard.set');
      return '';
    } catch (error) {
      return String(error);
    }
  })();
  expect(refusal).toContain('clipboard.set');
  expect(refusal.length).toBeLessThan(300);
});

test('a file that is not a PNG is refused before the desktop is searched', async () => {
  const { context } = fakeActionContext(fakeHost({}));
  const png = Buffer.from('GIF89a and more').toString('base64');
  await expect(set.run({ png }, context)).rejects.toMatchObject({ code: 'invalid' });
  await expect(
    set.run({ png: picture.toString('base64') }, fakeActionContext(noDesktop()).context),
  ).rejects.toMatchObject({ code: 'unsupported' });
});

test('a mark of a password manager makes the content a secret, whatever else is offered', () => {
  for (const mark of [
    'x-kde-passwordManagerHint',
    'application/x-nspasteboard-concealed-type',
    'ClipboardViewerIgnore',
  ])
    expect(isMarkedSecret(new Set(['text/plain', mark]))).toBe(true);
  expect(isMarkedSecret(new Set(['text/plain', 'image/png']))).toBe(false);
});
