import { afterAll, afterEach, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs';
import path from 'node:path';
import type { Media } from '../../../src/features/media/media.schema.ts';
import { pictures } from '../../harness/pictures.ts';
import { until } from '../../harness/until.ts';
import { type FakePlayer, startFakePlayer } from '../doubles/fake-player.ts';
import { createPrivateBus, type PrivateBus } from '../harness/bus.ts';
import { endProcess } from '../harness/end-process.ts';
import { needs } from '../harness/parts.ts';
import { type RunningHostler, runHostler, startHostler } from '../harness/service.ts';
import { connectSocket, type SocketClient } from '../harness/socket-client.ts';

setDefaultTimeout(120_000);

describe.skipIf(!needs('dbus-daemon', '/usr/bin/python3'))('malicious players on a real bus', () => {
  let bus: PrivateBus;
  let hostler: RunningHostler;
  let client: SocketClient;
  let home: string;
  let env: Record<string, string>;
  const players: FakePlayer[] = [];
  const helpers: ChildProcess[] = [];

  beforeAll(async () => {
    bus = createPrivateBus();
    await bus.start();
    env = { DBUS_SESSION_BUS_ADDRESS: bus.address };
    hostler = await startHostler({ env });
    home = path.join(hostler.directory, 'home');
    client = await connectSocket(hostler);
    await client.ask('REGISTER_DATA_LISTENER', { modules: ['media'] });
  });
  afterEach(async () => {
    for (const player of players.splice(0)) await player.end();
    for (const helper of helpers.splice(0)) await endProcess(helper);
    await until(() => latest()?.players.length === 0, 'all players are gone');
  });
  afterAll(async () => {
    client?.end();
    await hostler?.stop();
    await bus?.remove();
  });

  const player = async (name: string) => {
    const started = await startFakePlayer(bus.address, name);
    players.push(started);
    return started;
  };
  /** A script of the harness, which prints when it has started. */
  const helper = async (script: string, ...args: string[]) => {
    const child = spawn('/usr/bin/python3', [path.join(import.meta.dirname, '..', 'harness', script), ...args], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    helpers.push(child);
    await Promise.race([
      once(child.stdout, 'data'),
      once(child, 'exit').then(() => Promise.reject(new Error(`${script} ended`))),
    ]);
  };
  const track = (values: Record<string, string>): [string, unknown] => [
    'a{sv}',
    Object.fromEntries(Object.entries(values).map(([key, value]) => [key, ['s', value]])),
  ];
  const updates = () =>
    client.messages.flatMap(({ type, data }) => (type === 'DATA_UPDATE' ? [data as unknown as Media] : []));
  const latest = () => updates().at(-1);
  /** Waits until the picture has been read. */
  const thumbnailOf = async (title: string) => {
    await until(async () => {
      const states = (await (await hostler.get('/api/modules')).json()) as { name: string; reasons: unknown[] }[];
      const reasons = JSON.stringify(states.find(({ name }) => name === 'media')?.reasons);
      return latest()?.title === title && !reasons.includes('still being read');
    }, `${title} is pushed`);
    return latest()?.thumbnail ?? null;
  };

  test('a message of 20 MiB is dropped alone: other messages arrive, and the bus connection stays', async () => {
    const [loud, quiet] = [await player('loud'), await player('quiet')];
    await quiet.announce({ Metadata: track({ 'xesam:title': 'before' }) });
    await until(() => latest()?.players.some(({ title }) => title === 'before') === true, 'both are known');
    const seen = updates().length;
    await loud.announce({ Metadata: track({ 'xesam:title': 'loud', 'xesam:comment': 'x'.repeat(20 * 1024 * 1024) }) });
    await quiet.announce({ Metadata: track({ 'xesam:title': 'after' }) });
    await until(() => latest()?.players.some(({ title }) => title === 'after') === true, 'the other player is pushed');
    for (const { players: list } of updates().slice(seen)) expect(list.length).toBeGreaterThan(0);
    // The reply to GetAll is as large, and is not read either.
    await runHostler(['data', 'media', '--json'], { directory: hostler.directory, env });
    await quiet.announce({ Metadata: track({ 'xesam:title': 'still' }) });
    await until(
      () => latest()?.players.some(({ title }) => title === 'still') === true,
      'its changes are still pushed',
    );
    expect(hostler.output()).not.toContain('ERROR');
  });

  test('a message of 9 MB with 300,000 values is dropped each time: health answers, and other messages arrive', async () => {
    const [loud, quiet] = [await player('loud'), await player('quiet')];
    await until(() => latest()?.players.length === 2, 'both are known');
    const artist = ['as', new Array(300_000).fill('x'.repeat(24))];
    for (const title of ['first', 'second', 'third']) {
      await loud.announce({ Metadata: ['a{sv}', { 'xesam:title': ['s', 'heavy'], 'xesam:artist': artist }] });
      expect((await hostler.get('/api/health')).status).toBe(200);
      await quiet.announce({ Metadata: track({ 'xesam:title': title }) });
      await until(() => latest()?.players.some((one) => one.title === title) === true, `${title} is pushed`);
    }
    expect(JSON.stringify(updates())).not.toContain('heavy');
    expect(hostler.output()).not.toContain('ERROR');
  });

  test('of 150 players that come late only a hundred are read, and the first one stays', async () => {
    const first = await player('first');
    await first.announce({ Metadata: track({ 'xesam:title': 'first' }) });
    await until(() => latest()?.title === 'first', 'it is known');
    await helper('many-names.py', bus.address, '150');
    await first.announce({ Metadata: track({ 'xesam:title': 'second' }) });
    await until(() => latest()?.title === 'second', 'its change is pushed');
    await until(() => latest()?.players.length === 100, 'there are a hundred');
  });

  test('a cover under a lease of another process is not shown, and the file is refused, without an error in the log', async () => {
    const cover = path.join(home, '.cache', 'cover.png');
    fs.mkdirSync(path.dirname(cover), { recursive: true });
    fs.writeFileSync(cover, pictures.png);
    const named = await player('named');
    await named.announce({ Metadata: track({ 'xesam:title': 'free', 'mpris:artUrl': `file://${cover}` }) });
    await until(() => latest()?.thumbnail?.startsWith('data:image/png') === true, 'the cover is shown');
    await helper('lease.py', cover);
    await named.announce({ Metadata: track({ 'xesam:title': 'held', 'mpris:artUrl': `file://${cover}` }) });
    expect(await thumbnailOf('held')).toBeNull();
    const served = await hostler.get(
      `/api/media/file/data?base=home&path=${encodeURIComponent('.cache/cover.png')}&token=${hostler.token}`,
    );
    expect([served.status, await served.json()]).toEqual([403, { error: expect.stringContaining('Another program') }]);
    expect(hostler.output()).not.toContain('ERROR');
  });

  test('pictures that are not covers, files that only begin like one, and secrets are not served', async () => {
    const write = (name: string, bytes: Uint8Array) => {
      const file = path.join(home, name);
      fs.mkdirSync(path.dirname(file), { recursive: true });
      fs.writeFileSync(file, bytes);
      return `file://${file}`;
    };
    // The home is in the temporary directory, where covers are allowed.
    const shared = fs.mkdtempSync('/dev/shm/hostler-');
    try {
      fs.writeFileSync(path.join(shared, 'scan.png'), pictures.png);
      const secrets = [
        `file://${shared}/scan.png`,
        write('.cache/begins.bmp', Buffer.from('BM password=hunter2')),
        write('.cache/begins.png', Buffer.concat([pictures.png.subarray(0, 40), Buffer.from('hunter2')])),
        'https://ann:hunter2@nas.example/cover.jpg',
        'http://nas.example/thumb?X-Plex-Token=hunter2',
      ];
      const named = await player('named');
      for (const [index, url] of secrets.entries()) {
        await named.announce({ Metadata: track({ 'xesam:title': `secret ${index}`, 'mpris:artUrl': url }) });
        expect(await thumbnailOf(`secret ${index}`)).toBeNull();
      }
      expect(JSON.stringify(client.messages)).not.toContain('hunter2');
    } finally {
      fs.rmSync(shared, { recursive: true });
    }
  });

  test('a title cannot reverse the text on a terminal', async () => {
    const named = await player('named');
    const title = 'a\u202eb\u2066c';
    await named.announce({ Metadata: track({ 'xesam:title': title }) });
    await until(() => latest()?.title === title, 'the title is pushed unchanged');
    const { stdout } = await runHostler(['data', 'media', '--json'], { directory: hostler.directory, env });
    expect(JSON.parse(stdout).title).toBe(title);
    const { stdout: text } = await runHostler(['data', 'media'], { directory: hostler.directory, env });
    for (const output of [stdout, text]) expect(output).not.toMatch(/[\u202a-\u202e\u2066-\u2069]/);
  });
});
