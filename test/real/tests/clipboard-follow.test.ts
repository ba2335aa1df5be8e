// tier: full
import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { noKey } from '@hostler/x11/authority.ts';
import { openX11 } from '@hostler/x11/connection.ts';
import { internAtoms, x11Words } from '@hostler/x11/protocol.ts';
import { createHiddenWindow } from '@hostler/x11/selection.read.ts';
import { createClock } from '../../../src/host/clock.ts';
import { connectVerified } from '../../../src/host/linux/verified-local.ts';
import { codeOf } from '../../../src/lib/errors.ts';
import { type ClipboardContent, listenToClipboard } from '../harness/clipboard-listener.ts';
import { type CopyingDesktop, copyingDesktops, startCopying } from '../harness/copying-desktops.ts';
import { connectTo } from '../harness/mcp-clients.ts';
import { needs } from '../harness/parts.ts';
import { createToken, type RunningHostler, runHostler, spawnHostler, startHostler, until } from '../harness/service.ts';
import type { SocketClient } from '../harness/socket-client.ts';
import { createPrivateX11 } from '../harness/x11.ts';

setDefaultTimeout(180_000);

interface State {
  name: string;
  availability: string;
  reasons: { field: string | null; reason: string }[];
  cost: { reads: number };
}

const secret = 'Zebra-4712';
const withheld = 'needs the scope clipboard, and is never shown to agents';
const everythingElse = 'read,files,media,notify,chat,control,input,screen,power,processes,command,admin';

/** Often enough to detect repetitions. */
const prepare = (directory: string) => {
  fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
  const settings = { version: 1, modules: { clipboard: { interval: 1000 } } };
  fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings));
};

const stateOf = async (hostler: RunningHostler, token = hostler.token) => {
  const states = (await (await hostler.get('/api/modules', { 'X-API-Token': token })).json()) as State[];
  return states.find(({ name }) => name === 'clipboard');
};

for (const [name, make, programs] of copyingDesktops)
  describe.skipIf(!needs(...programs))(`following the clipboard of ${name}`, () => {
    let desktop: CopyingDesktop;
    let hostler: RunningHostler;
    const { copy, paste, end } = startCopying(() => desktop);
    const sockets: SocketClient[] = [];
    const follow = async (token?: string) => {
      const listener = await listenToClipboard(hostler, token);
      sockets.push(listener.socket);
      return listener;
    };
    const create = async (named: string, scope: string) => {
      return await createToken(hostler, named, scope);
    };

    beforeAll(async () => {
      desktop = make();
      await desktop.start();
      hostler = await startHostler({ env: desktop.env(), prepare });
    });
    afterEach(() => {
      for (const socket of sockets.splice(0)) socket.end();
    });
    afterAll(async () => {
      await hostler?.stop();
      end();
      await desktop?.remove();
    });

    test('copied content is pushed with its kind and time', async () => {
      const listener = await follow();
      expect(await listener.has('it is empty', ({ kind }) => kind === 'empty')).toEqual({
        kind: 'empty',
        text: null,
        truncated: false,
        types: [],
        size: null,
        changed_at: null,
      });
      const before = Math.floor(Date.now() / 1000);
      const text = 'Grüße, \u{1f600}\nand a "further" line\ttoo';
      copy(text, null);
      const seen = await listener.has('the text comes', ({ text: found }) => found === text);
      expect(seen).toMatchObject({ kind: 'text', truncated: false, size: Buffer.byteLength(text) });
      expect(seen.types).toContain('text/plain');
      expect(seen.changed_at).toBeGreaterThanOrEqual(before);
      copy(Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), 'image/png');
      expect(await listener.has('a picture', ({ kind }) => kind === 'image')).toMatchObject({
        text: null,
        size: null,
        types: ['image/png'],
      });
      copy('something', 'application/x-of-our-own');
      await listener.has('something else', ({ kind }) => kind === 'other');
      const owner = copy('soon gone', null);
      await listener.has('a text again', ({ text: found }) => found === 'soon gone');
      owner.kill('SIGKILL');
      await listener.has('its owner is gone', ({ kind }) => kind === 'empty');
    });

    test('a long text is truncated, one of 100 MB costs little, and its owner keeps running', async () => {
      const listener = await follow();
      const long = `ä${'x'.repeat(200_000)}`;
      copy(long, null);
      const part = await listener.has('its beginning', ({ truncated }) => truncated);
      expect(part.text).toBe(long.slice(0, 64 * 1024 - 1));
      expect(part.size).toBe(200_002);
      const owner = copy('y'.repeat(100_000_000), null);
      const huge = await listener.has('a huge one', ({ text }) => text?.startsWith('yyy') === true);
      expect(huge).toMatchObject({ kind: 'text', truncated: true, size: null });
      expect(huge.text?.length).toBe(64 * 1024);
      expect((await paste()).length).toBe(100_000_000);
      expect([owner.exitCode, owner.signalCode]).toEqual([null, null]);
      copy('after it', null);
      await listener.has('the next one', ({ text }) => text === 'after it');
    });

    test('content marked by a password manager is reported as a secret without its text', async () => {
      const listener = await follow();
      copy('before it', null);
      await listener.has('a text', ({ text }) => text === 'before it');
      copy('hunter2-followed', 'x-kde-passwordManagerHint');
      expect(await listener.has('a secret', ({ kind }) => kind === 'secret')).toMatchObject({
        text: null,
        size: null,
        types: [],
      });
      expect(JSON.stringify(listener.socket.messages)).not.toContain('hunter2');
    });

    test('an owner that never answers is asked once, with a reason, and the next owner is read', async () => {
      const first = await follow();
      const owner = copy('from an owner that stops', null);
      await first.has('a text', ({ text }) => text === 'from an owner that stops');
      first.socket.end();
      await until(async () => (await contentNow(hostler)) === null || null);
      owner.kill('SIGSTOP');
      const listener = await follow();
      const found = await listener.has('it is given up', ({ text }) => text === null);
      expect(['text', null]).toContain(found.kind);
      const state = await stateOf(hostler);
      expect(state?.availability).toBe('degraded');
      expect(state?.reasons.find(({ field }) => field === 'content.text')?.reason).toContain(
        'did not answer within 2 s',
      );
      expect((await hostler.get('/api/health')).status).toBe(200);
      owner.kill('SIGKILL');
      await listener.has('its owner is gone', ({ kind }) => kind === 'empty');
      copy('from another', null);
      await listener.has('another owner', ({ text }) => text === 'from another');
    });

    test('a display server that is killed and restarted is followed again', async () => {
      const listener = await follow();
      copy('before the end', null);
      await listener.has('a text', ({ text }) => text === 'before the end');
      await desktop.kill();
      await until(() => listener.received().at(-1) === null || null);
      const gone = (await stateOf(hostler))?.reasons.find(({ field }) => field === 'content');
      expect(gone?.reason).toMatch(/has ended|cannot be followed/);
      await desktop.start();
      await listener.has('it is there again', ({ kind }) => kind === 'empty');
      copy('after it', null);
      await listener.has('a text again', ({ text }) => text === 'after it');
    });

    test('the command prints what is copied while it runs', async () => {
      const { child, said } = spawnHostler(['clipboard', 'follow', '--json'], hostler);
      try {
        // It has started as soon as it has read the clipboard, empty or not.
        await until(() => /"kind":/.test(said.stdout) || null);
        copy('for the command', null);
        await until(() => said.stdout.includes('"text":"for the command"') || null);
      } finally {
        child.kill('SIGKILL');
      }
    });

    test('without listeners there is no connection, nothing is read, and the reason says so', async () => {
      const connections = () =>
        fs.readdirSync(`/proc/${hostler.pid}/fd`).filter((each) => linkOf(`/proc/${hostler.pid}/fd/${each}`)).length;
      await until(async () => (await contentNow(hostler)) === null || null);
      const before = connections();
      const listener = await follow();
      copy('while one listens', null);
      await listener.has('a text', ({ text }) => text === 'while one listens');
      expect(connections()).toBeGreaterThan(before);
      expect((await contentNow(hostler))?.text).toBe('while one listens');
      listener.socket.end();
      await until(() => connections() <= before || null);
      await until(async () => (await contentNow(hostler)) === null || null);
      expect((await stateOf(hostler))?.reasons).toContainEqual({
        field: 'content',
        reason: 'The clipboard is read only while a client listens; clipboard.get reads it once',
        mendable: false,
      } as never);
    });

    test('without the scope no transport shows it, while another client listens', async () => {
      const reader = await create('reader', everythingElse);
      const listener = await follow();
      copy(secret, null);
      await listener.has('the one with the scope sees it', ({ text }) => text === secret);
      expect((await hostler.get('/api/data/clipboard', {})).status).toBe(401);
      const headers = { 'X-API-Token': reader };
      expect(await (await hostler.get('/api/data/clipboard', headers)).json()).toEqual({ content: null });
      const fields = await hostler.get('/api/data/clipboard?fields=content.text', headers);
      expect(await fields.text()).not.toContain(secret);
      expect((await stateOf(hostler, reader))?.reasons).toEqual([
        { field: 'content', reason: withheld, mendable: false } as never,
      ]);

      const blind = await follow(reader);
      await blind.socket.ask('GET_DATA', { modules: ['clipboard'] }, { token: reader });
      const reads = async () => (await stateOf(hostler, reader))?.cost.reads ?? 0;
      const updates = blind.received().length;
      for (let change = 1; change <= 5; change++) {
        copy(`${secret} ${change}.`, null);
        await listener.has(`copy ${change}`, ({ text }) => text === `${secret} ${change}.`);
      }
      expect(blind.received().length).toBe(updates);
      expect(blind.received().every((content) => content === null)).toBe(true);
      expect(JSON.stringify(blind.socket.messages)).not.toContain(secret);
      expect(await reads()).toBeGreaterThan(0);

      // An agent does not see it, even with the scope.
      for (const token of [reader, hostler.token]) {
        const agent = await connectTo(hostler, { mode: 'legacy', over: 'http', token });
        const answers = JSON.stringify([
          await agent.callTool({ name: 'get_module', arguments: { module: 'clipboard' } }),
          await agent.callTool({ name: 'get_overview', arguments: {} }),
          await agent.readResource({ uri: 'system://modules/clipboard' }),
        ]);
        await agent.close();
        expect(answers).not.toContain(secret);
        expect(answers).toContain(withheld);
      }

      for (const route of ['/metrics', '/api/history'])
        expect(await (await hostler.get(route)).text()).not.toContain(secret);
      const { directory } = hostler;
      for (const args of [['support'], ['doctor', '--json'], ['record', path.join(directory, 'record')]]) {
        const { stdout, stderr } = await runHostler(args, { directory, env: desktop.env() });
        expect(stdout + stderr).not.toContain(secret);
      }
      expect(hostler.output()).not.toContain(secret);
      expect(filesWith(secret, directory)).toEqual([]);
    });
  });

test.skipIf(!needs('Xvfb'))('an X11 owner that never answers is asked once, however long clients listen', async () => {
  const x11 = createPrivateX11('Xvfb');
  try {
    await x11.start();
    await using hostler = await startHostler({ env: { DISPLAY: x11.display() }, prepare });
    const listener = await listenToClipboard(hostler);
    await listener.has('it is empty', ({ kind }) => kind === 'empty');
    const owner = await openX11(connectVerified, createClock(), {
      socket: `/tmp/.X11-unix/X${x11.display().slice(1)}`,
      key: noKey,
      timeoutMs: 10_000,
    });
    const atom = (await internAtoms(owner, ['CLIPBOARD'])).get('CLIPBOARD') ?? 0;
    let requests = 0;
    owner.onEvent((event) => {
      if (((event[0] ?? 0) & 0x7f) === 30) requests++;
    });
    createHiddenWindow(owner, owner.firstId);
    owner.send(22, 0, x11Words(owner.firstId, atom, 0));
    await listener.has('it is given up', ({ kind }) => kind === null);
    const reads = (await stateOf(hostler))?.cost.reads ?? 0;
    // It is polled every second, without a request to the owner.
    await until(async () => ((await stateOf(hostler))?.cost.reads ?? 0) >= reads + 4 || null);
    expect(requests).toBe(1);
    owner.close();
    await listener.has('it is gone', ({ kind }) => kind === 'empty');
    listener.socket.end();
  } finally {
    await x11.remove();
  }
});

async function contentNow(hostler: RunningHostler): Promise<ClipboardContent | null> {
  return ((await (await hostler.get('/api/data/clipboard')).json()) as { content: ClipboardContent | null }).content;
}

/** The names of the files below a directory that contain a text. Temporary files of the service may vanish meanwhile. */
function filesWith(text: string, directory: string): string[] {
  return unlessGone(() => fs.readdirSync(directory, { withFileTypes: true }), []).flatMap((entry) => {
    const place = path.join(directory, entry.name);
    if (entry.isDirectory()) return filesWith(text, place);
    if (!entry.isFile()) return [];
    return unlessGone(() => fs.readFileSync(place), Buffer.alloc(0)).includes(text) ? [entry.name] : [];
  });
}

function unlessGone<T>(read: () => T, otherwise: T): T {
  try {
    return read();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return otherwise;
    throw error;
  }
}

function linkOf(file: string): boolean {
  try {
    return fs.readlinkSync(file).startsWith('socket:');
  } catch {
    return false;
  }
}
