import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Signal } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { setPart } from '../../../core/part.ts';
import { encodeOrder } from '../pictures/picture.thread.ts';
import { type EncodePicture, encodePicture } from '../pictures/pictures.ts';
import { encodePng } from '../pictures/png.encode.ts';
import { takeByPortal } from './screen-picture.portal.ts';

const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler portal-'));
afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

const picture = () => encodePng({ width: 2, height: 1, read: (_y, row) => row.set([1, 2, 3, 4, 5, 6]) }, 1000);
const encode: EncodePicture = async (given, options) => {
  const reply = await encodeOrder({ picture: given, options });
  if ('problem' in reply) throw new Error(reply.problem);
  return reply;
};

/** A desktop whose portal gives this answer. */
function desktop(code: number, results: Record<string, unknown>, uid = process.getuid?.() ?? null) {
  const handle = '/org/freedesktop/portal/desktop/request/1_1/t';
  let emit: (signal: Signal) => void = () => {};
  const bus = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.Properties.Get': () => [2],
    'org.freedesktop.portal.Screenshot.Screenshot': () => {
      emit({ path: handle, body: [code, results] } as unknown as Signal);
      return [handle];
    },
  });
  bus.subscribe = async (_match, listener) => {
    emit = listener;
    return () => {};
  };
  const host = fakeHost({ dbus: { session: bus, system: bus }, environment: { uid } });
  setPart(host, encodePicture, encode);
  host.clock.set(Date.now());
  return host;
}

const request = { display: null, activeWindow: false, format: 'png' as const, maxWidth: null, mostBytes: 2 ** 20 };
const uriOf = (file: string) => ({ uri: pathToFileURL(file).href });

test('the file of the portal is read and removed', async () => {
  const file = path.join(directory, 'Screenshot from today.png');
  fs.writeFileSync(file, await picture());
  expect(await takeByPortal(desktop(0, uriOf(file)), request)).toMatchObject({ display: null, width: 2, height: 1 });
  expect(fs.existsSync(file)).toBe(false);
});

test('a file that is not the screenshot is not removed', async () => {
  const [text, old, link] = ['notes.png', 'old.png', 'link.png'].map((name) => path.join(directory, name)) as [
    string,
    string,
    string,
  ];
  fs.writeFileSync(text, 'my notes, which are no picture');
  fs.writeFileSync(old, await picture());
  fs.utimesSync(old, new Date(0), new Date(0));
  fs.symlinkSync(old, link);
  for (const file of [text, old, link]) {
    await expect(takeByPortal(desktop(0, uriOf(file)), request)).rejects.toThrow();
    expect(fs.existsSync(file)).toBe(true);
  }
  fs.utimesSync(old, new Date(), new Date());
  await expect(takeByPortal(desktop(0, uriOf(old), 12_345), request)).rejects.toThrow('not its picture');
  expect(fs.existsSync(old)).toBe(true);
  for (const uri of ['https://example.com/a.png', 'nonsense', 7])
    await expect(takeByPortal(desktop(0, { uri }), request)).rejects.toThrow('the desktop portal');
});

test('a refusal by the user and a missing portal are explained', async () => {
  await expect(takeByPortal(desktop(1, {}), request)).rejects.toMatchObject({ code: 'forbidden' });
  await expect(takeByPortal(desktop(2, {}), request)).rejects.toThrow('took no picture');
  const bus = fakeBus({ 'org.freedesktop.DBus.NameHasOwner': () => [false] });
  await expect(takeByPortal(fakeHost({ dbus: { session: bus, system: bus } }), request)).rejects.toMatchObject({
    code: 'unsupported',
    message: expect.stringContaining('xdg-desktop-portal-gnome'),
  });
});

test('a single display or window is refused without a prompt', async () => {
  for (const more of [{ display: 'DP-1' }, { activeWindow: true }])
    await expect(takeByPortal(desktop(0, {}), { ...request, ...more })).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining('all its displays together'),
    });
});
