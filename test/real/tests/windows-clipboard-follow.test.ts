// tier: full
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ClipboardContent, listenToClipboard } from '../harness/clipboard-listener.ts';
import { type CopyingDesktop, onX11, startCopying } from '../harness/copying-desktops.ts';
import { needs } from '../harness/parts.ts';
import { postJson, until } from '../harness/service.ts';
import type { SocketClient } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler, x11Mounts } from '../harness/wine.ts';
import { wineProgram } from '../harness/wine-standin.ts';

setDefaultTimeout(240_000);

const units = (text: string) => Buffer.from(text, 'utf16le').swap16().toString('hex');
const secret = 'Zebra-4711';

describe.skipIf(!needs('Xvfb', 'xclip') || !needsWine())(
  'following the clipboard of the Windows build under Wine',
  () => {
    let desktop: CopyingDesktop;
    let hostler: WineHostler;
    const sockets: SocketClient[] = [];
    /** Programs of the X server, whose clipboard Wine shares with Windows programs. */
    const { copy, paste, end } = startCopying(() => desktop);

    beforeAll(async () => {
      desktop = onX11();
      await desktop.start();
      hostler = await startWineHostler({
        mounts: [...(wineProgram('clipboard-user').mounts ?? []), ...x11Mounts],
        environment: { DISPLAY: desktop.env().DISPLAY ?? '' },
      });
    });
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.end();
    });
    afterAll(async () => {
      await hostler?.stop();
      end();
      await desktop?.remove();
    });

    const listen = async (token?: string) => {
      const listener = await listenToClipboard(hostler, token);
      sockets.push(listener.socket);
      return listener;
    };
    const other = (order: string) => hostler.beside(`wine 'C:\\standins\\clipboard-user.exe' ${order}`);
    const set = (input: object) => postJson(hostler, '/api/clipboard/set', input);
    const contentNow = async () =>
      ((await (await hostler.get('/api/data/clipboard')).json()) as { content: ClipboardContent | null }).content;
    interface State {
      name: string;
      reasons: { field: string | null; reason: string }[];
    }
    const reasons = async () => {
      const states = (await (await hostler.get('/api/modules')).json()) as State[];
      return states.find(({ name }) => name === 'clipboard')?.reasons;
    };

    test('content copied by another Windows program is pushed with its time; earlier content has none', async () => {
      expect(await other(`copy ${units('before')}`)).toContain('copied');
      const listener = await listen();
      const first = await listener.has('what was there', ({ text }) => text === 'before');
      expect(first).toMatchObject({ kind: 'text', size: 6, truncated: false, changed_at: null });
      const since = Math.floor(Date.now() / 1000);
      const text = 'Grüße, 😀\tand more';
      expect(await other(`copy ${units(text)}`)).toContain('copied');
      const next = await listener.has('the next text', ({ text: found }) => found === text);
      expect(next).toMatchObject({ kind: 'text', size: Buffer.byteLength(text) });
      expect(next.types).toContain('text/plain');
      expect(next.changed_at).toBeGreaterThanOrEqual(since);
    });

    test('content copied by programs of the X server arrives through Wine', async () => {
      const listener = await listen();
      copy('from xclip €', null);
      await listener.has('its text', ({ text }) => text === 'from xclip €');
      copy('from xclip again', null);
      await listener.has('its next text', ({ text }) => text === 'from xclip again');
    });

    test('content set by the service is pushed: texts short and long, and pictures without their bytes', async () => {
      const listener = await listen();
      await set({ text: 'from the service' });
      await listener.has('its text', ({ text }) => text === 'from the service');
      expect((await paste()).toString()).toBe('from the service');
      await set({ text: `ä${'x'.repeat(200_000)}` });
      const part = await listener.has('the beginning of a long one', ({ truncated }) => truncated);
      expect(part.text).toBe(`ä${'x'.repeat(64 * 1024 - 2)}`);
      expect(part.size).toBe(200_002);
      const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
      await set({ png });
      const picture = await listener.has('a picture', ({ kind }) => kind === 'image');
      expect(picture).toMatchObject({ text: null, size: null });
      expect(picture.types).toContain('image/png');
      expect(JSON.stringify(listener.socket.messages)).not.toContain(png);
    });

    test.each([
      ['ExcludeClipboardContentFromMonitorProcessing', 1],
      ['Clipboard Viewer Ignore', 1],
      ['CanIncludeInClipboardHistory', 0],
      ['CanUploadToCloudClipboard', 0],
    ])('content marked with %p is a secret, and its text is not sent', async (mark, value) => {
      const listener = await listen();
      await other(`copy ${units('plain')}`);
      await listener.has('a text', ({ text }) => text === 'plain');
      await other(`mark "${mark}" ${value}`);
      const found = await listener.has('a secret', ({ kind }) => kind === 'secret');
      expect(found).toMatchObject({ text: null, size: null, types: [] });
      expect(listener.received().some((content) => content?.text === 'secret')).toBe(false);
    });

    test('content allowed in the clipboard history is an ordinary text', async () => {
      const listener = await listen();
      await other('mark "CanIncludeInClipboardHistory" 1');
      await listener.has('a text', ({ text }) => text === 'secret');
    });

    test('without listeners nothing is known, and the reason says so', async () => {
      await until(async () => ((await contentNow()) === null ? true : null));
      const listener = await listen();
      await other(`copy ${units('while one listens')}`);
      await listener.has('a text', ({ text }) => text === 'while one listens');
      expect((await contentNow())?.text).toBe('while one listens');
      listener.socket.end();
      await until(async () => ((await contentNow()) === null ? true : null));
      expect((await reasons())?.[0]?.reason).toContain('only while a client listens');
    });

    test('without the scope it is never sent, while another client listens', async () => {
      const made = await hostler.beside('wine hostler.exe token create --name reader --scope read,input,control');
      const reader = made.trim().split(/\s+/).at(-1) ?? '';
      const [listener, blind] = [await listen(), await listen(reader)];
      const updates = blind.received().length;
      for (let change = 1; change <= 3; change += 1) {
        await other(`copy ${units(`${secret} ${change}`)}`);
        await listener.has(`copy ${change}`, ({ text }) => text === `${secret} ${change}`);
      }
      const answer = await fetch(`${hostler.base}/api/data/clipboard`, { headers: { 'X-API-Token': reader } });
      expect(await answer.json()).toEqual({ content: null });
      expect(blind.received().length).toBe(updates);
      expect(JSON.stringify(blind.socket.messages)).not.toContain(secret);
      expect(hostler.output()).not.toContain(secret);
    });
  },
);
