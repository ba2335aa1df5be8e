import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { type CopyingDesktop, copyingDesktops, startCopying } from '../harness/copying-desktops.ts';
import { needs } from '../harness/parts.ts';
import { createToken, type RunningHostler, runHostler, startHostler, until } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { createPrivateWayland } from '../harness/wayland.ts';

setDefaultTimeout(180_000);

const mebibyte = 1024 * 1024;
/** Has the header of a picture, and random content. */
const pictureOf = (size: number) => {
  const bytes = Buffer.alloc(size, Buffer.from(Array.from({ length: 251 }, (_, index) => index)));
  bytes.write('89504e470d0a1a0a0000000d49484452', 'hex');
  return bytes;
};

interface Content {
  format: string;
  text: string | null;
  png: string | null;
  size: number;
}

for (const [name, make, programs] of copyingDesktops)
  describe.skipIf(!needs(...programs))(`the clipboard of ${name}`, () => {
    let desktop: CopyingDesktop;
    let hostler: RunningHostler;
    const { copy: begin, paste, end } = startCopying(() => desktop);
    const post = async (route: string, input: unknown, token = hostler.token) => {
      const response = await fetch(`${hostler.base}${route}`, {
        method: 'POST',
        headers: { 'X-API-Token': token, 'Content-Type': 'application/json' },
        body: JSON.stringify(input),
      });
      const body = (await response.json()) as { data?: Content; error?: string; message?: string };
      return { ...body, status: response.status };
    };
    const get = (format: string | null = null) => post('/api/clipboard/get', { format });
    const set = (input: unknown) => post('/api/clipboard/set', input);
    /** Another program copies; resolves when it owns the clipboard. */
    const copy = async (content: string | Uint8Array, type: string | null, isThere: () => Promise<boolean>) => {
      const owner = begin(content, type);
      await until(async () => (await isThere()) || null);
      return owner;
    };
    const copyText = (text: string) => copy(text, null, async () => (await get('text')).data?.text === text);
    beforeAll(async () => {
      desktop = make();
      await desktop.start();
      hostler = await startHostler({ env: desktop.env() });
    });
    afterAll(async () => {
      await hostler?.stop();
      end();
      await desktop?.remove();
    });

    test('is empty at first, with a reason', async () => {
      expect(await get()).toMatchObject({ status: 404, error: 'The clipboard is empty' });
    });

    test('text that another program copied is read unchanged, over HTTP, WebSocket and the command line', async () => {
      const text = 'Grüße, \u{1f600}\nand a "second" line\ttoo';
      await copyText(text);
      const size = Buffer.byteLength(text);
      expect((await get()).data).toEqual({ format: 'text', text, png: null, size });
      expect(await get('png')).toMatchObject({ status: 404, error: 'There is no PNG picture on the clipboard' });
      const socket = await connectSocket(hostler);
      const answer = await socket.ask('GET_CLIPBOARD', {}, { token: hostler.token });
      expect(answer).toMatchObject({ type: 'CLIPBOARD', data: { text, size } });
      socket.end();
      const { stdout, code } = await runHostler(['clipboard', 'get'], { directory: hostler.directory });
      expect([code, stdout]).toEqual([0, text]);
    });

    test('1 MiB of text goes both ways, and 5 MB are refused', async () => {
      const whole = `ä${'x'.repeat(mebibyte - 2)}`;
      await copyText(whole);
      const large = 'y'.repeat(5_000_000);
      await copy(large, null, async () => (await get()).status === 413);
      expect((await get()).error).toBe('The text on the clipboard has more than 1 MiB, so it was not read');
      expect(await set({ text: whole })).toMatchObject({ status: 200, data: { format: 'text', size: mebibyte } });
      const pasted = await Promise.all([paste(), paste(), paste()]);
      expect(pasted.map((bytes) => bytes.toString() === whole)).toEqual([true, true, true]);
      expect((await set({ text: `${whole}z` })).status).toBe(400);
      expect((await set({ text: large })).status).toBe(400);
      expect((await get()).data?.text === whole).toBe(true);
    });

    test('pictures go both ways, up to 8 MiB', async () => {
      const picture = pictureOf(8 * mebibyte);
      expect(await set({ png: picture.toString('base64') })).toMatchObject({
        status: 200,
        data: { format: 'png', size: picture.length },
      });
      expect((await paste('image/png')).equals(picture)).toBe(true);
      const small = pictureOf(70_001);
      await copy(small, 'image/png', async () => (await get()).data?.size === small.length);
      expect(Buffer.from((await get('png')).data?.png ?? '', 'base64').equals(small)).toBe(true);
      expect(await get('text')).toMatchObject({ status: 404, error: 'There is no text on the clipboard' });
      await copy(pictureOf(9 * mebibyte), 'image/png', async () => (await get()).status === 413);
      expect((await set({ png: pictureOf(9 * mebibyte).toString('base64') })).status).toBeGreaterThanOrEqual(400);
      expect((await set({ png: Buffer.from('GIF89a').toString('base64') })).status).toBe(400);
    });

    test('content that was set stays until another program copies, and leaves nothing open', async () => {
      const descriptors = () => fs.readdirSync(`/proc/${hostler.pid}/fd`).length;
      await copyText('before');
      await until(async () => {
        const first = descriptors();
        await get();
        return first === descriptors() || null;
      });
      const before = descriptors();
      for (let time = 0; time < 10; time++) {
        expect((await set({ text: `time ${time}` })).status).toBe(200);
        expect((await paste()).toString()).toBe(`time ${time}`);
      }
      const { code, stdout } = await runHostler(['clipboard', 'set', 'by the command'], {
        directory: hostler.directory,
      });
      expect([code, stdout]).toEqual([0, 'The text is on the clipboard\n']);
      expect((await paste()).toString()).toBe('by the command');
      await copyText('by another program');
      await until(() => descriptors() <= before || null);
    });

    test('content marked by a password manager is not returned', async () => {
      await copy('hunter2-secret', 'x-kde-passwordManagerHint', async () => (await get()).status === 403);
      for (const format of [null, 'text', 'png']) {
        const { status, error, data } = await get(format);
        expect([status, data]).toEqual([403, undefined]);
        expect(error).toContain('marked as a secret');
      }
    });

    test('an owner that never answers times out with an error, and one that is killed leaves the clipboard empty', async () => {
      const owner = await copyText('from one that stops');
      owner.kill('SIGSTOP');
      const waited = await get();
      expect(waited).toMatchObject({
        status: 502,
        error: 'The clipboard cannot be read: the program that owns the clipboard did not answer within 2 s',
      });
      expect((await hostler.get('/api/health')).status).toBe(200);
      owner.kill('SIGCONT');
      // wl-copy may also end here: its write to the pipe of the abandoned read fails with EPIPE.
      const hasEnded = () => owner.exitCode !== null || owner.signalCode !== null;
      await until(async () => (await get()).data?.text === 'from one that stops' || hasEnded() || null);
      owner.kill('SIGKILL');
      await until(async () => (await get()).status === 404 || null);
    });

    test('it needs its scope, is refused while control is paused, and never appears in the log', async () => {
      await copyText('Zebra-4711');
      const others = 'read,files,media,notify,control,input,screen,command,admin';
      const token = await createToken(hostler, 'others', others);
      for (const route of ['/api/clipboard/get', '/api/clipboard/set'])
        expect((await post(route, { text: 'unauthorised' }, token)).status).toBe(403);
      expect((await post('/api/clipboard/get', {}, 'wrong')).status).toBe(401);
      expect((await post('/api/control/pause', {})).status).toBe(200);
      expect((await set({ text: 'in a pause' })).status).toBeGreaterThanOrEqual(400);
      expect((await get()).data?.text).toBe('Zebra-4711');
      expect((await post('/api/control/resume', {})).status).toBe(200);
      const socket = await connectSocket(hostler);
      const answer = await socket.ask('CLIPBOARD_SET', { text: 'Quagga-0815' }, { token: hostler.token });
      expect(answer).toMatchObject({ type: 'CLIPBOARD_CHANGED', data: { format: 'text', size: 11 } });
      socket.end();
      expect((await paste()).toString()).toBe('Quagga-0815');
      expect(hostler.output()).not.toMatch(/Zebra-4711|Quagga-0815|hunter2/);
    });

    test('a display server that is killed while the service owns the clipboard does no harm, and works again', async () => {
      expect((await set({ text: 'for a moment' })).status).toBe(200);
      await desktop.kill();
      await until(async () => ([501, 502].includes((await get()).status) ? true : null));
      await desktop.start();
      await until(async () => (await get()).status === 404 || null);
      expect((await set({ text: 'again' })).status).toBe(200);
      expect((await paste()).toString()).toBe('again');
    });
  });

test.skipIf(!needs('mutter', 'dbus-daemon'))(
  'under GNOME without an X server the error says what is missing',
  async () => {
    const wayland = createPrivateWayland('mutter');
    try {
      await wayland.start();
      const runtime = wayland.variables.XDG_RUNTIME_DIR ?? '';
      const socket = fs.readdirSync(runtime).find((name) => /^wayland-\d+$/.test(name)) ?? '';
      await using hostler = await startHostler({ env: { WAYLAND_DISPLAY: path.join(runtime, socket) } });
      const { code, stderr } = await runHostler(['clipboard', 'get'], { directory: hostler.directory });
      expect(code).toBe(1);
      expect(stderr).toContain('it offers neither ext-data-control-v1');
    } finally {
      await wayland.remove();
    }
  },
);

test('without a desktop the error says so', async () => {
  await using hostler = await startHostler();
  for (const verb of ['get', 'set']) {
    const { code, stderr } = await runHostler(['clipboard', verb, ...(verb === 'set' ? ['text'] : [])], {
      directory: hostler.directory,
    });
    expect(code).toBe(1);
    expect(stderr).toContain('no desktop of this user is running');
  }
});
