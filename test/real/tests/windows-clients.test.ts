// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFile } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { actions } from '../../../src/features/index.ts';
import {
  strictDirectories,
  strictFile,
  strictFiles,
  strictMessage,
  strictModules,
  strictSettings,
} from '../../doubles/peers/system-bridge/strict.ts';
import { root } from '../harness/service.ts';
import { connectSocket } from '../harness/socket-client.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { nine, wrongIn } from '../harness/ws-clients.ts';

setDefaultTimeout(240_000);

const python = '/usr/bin/python3';
const hasAiohttp = fs.existsSync('/usr/lib/python3/dist-packages/aiohttp');
const song = '1+1=100%25.mp3';
const echo = {
  id: 'echo',
  name: 'Echo',
  command: 'C:\\windows\\system32\\cmd.exe',
  workingDir: '',
  arguments: ['/c', 'echo hello there'],
};
const put = (file: string, text: string) =>
  `echo ${Buffer.from(text).toString('base64')} | base64 -d > "$0/w/pfx/drive_c/users/root/${file}"`;

/** The stand-ins of existing clients, unchanged, against the exe. */
describe.skipIf(!needsWine())('existing clients of the Windows build', () => {
  let hostler: WineHostler;
  beforeAll(async () => {
    hostler = await startWineHostler({
      mounts: [
        'mkdir -p "$0/w/pfx/drive_c/users/root/Music/Album" "$0/w/pfx/drive_c/users/root/AppData/Local/hostler"',
        put(`Music/${song}`, 'la la'),
        put('AppData/Local/hostler/settings.json', JSON.stringify({ commands: { allowlist: [echo] } })),
      ],
    });
  });
  afterAll(() => hostler.stop());

  test.skipIf(!hasAiohttp)('Home Assistant, from the first probe to a reconnect', async () => {
    if ((await hostler.get('/api/data/media')).status === 404)
      return console.warn(
        'skipped: this client waits for the module media, which this version does not read on Windows',
      );
    const script = path.join(root, 'test', 'doubles', 'peers', 'system-bridge', 'peer.py');
    const args = [script, '127.0.0.1', String(hostler.port), hostler.token, 'echo', 'music', song];
    const { stdout, stderr } = await promisify(execFile)(python, args, { env: { HOME: '/nonexistent' } });
    expect(stderr).toBe('');
    const seen = JSON.parse(stdout) as Record<string, unknown> & { modules: Record<string, unknown> };
    expect(seen).toMatchObject({
      information: 404,
      wrong_token: 401,
      media: [200, 'la la'],
      command: { commandID: 'echo', exitCode: 0, stdout: 'hello there\r\n', stderr: '' },
      answered: true,
    });
    for (const name of nine) expect([name, wrongIn(strictModules[name], seen.modules[name])]).toEqual([name, []]);
    expect(wrongIn(strictFiles, seen.files)).toEqual([]);
    expect(wrongIn(strictFile, seen.file)).toEqual([]);
    expect(wrongIn(strictDirectories, seen.directories)).toEqual([]);
  });

  test('every reply has the known keys only', async () => {
    for (const { wire } of actions) {
      const socket = await connectSocket(hostler);
      const isExit = wire.event === 'EXIT_APPLICATION';
      await socket.ask(wire.event, isExit ? undefined : { nothing: 'of any use' }, isExit ? { token: 'wrong' } : {});
      expect([wire.event, socket.messages.flatMap((message) => wrongIn(strictMessage, message))]).toEqual([
        wire.event,
        [],
      ]);
      socket.end();
    }
  });

  test('the modules and settings they read pass strict clients', async () => {
    const socket = await connectSocket(hostler);
    const states = await Promise.all(nine.map(async (name) => (await hostler.get(`/api/data/${name}`)).status));
    const there = nine.filter((_, index) => states[index] === 200);
    expect(there.length).toBeGreaterThan(6);
    await socket.ask('GET_DATA', { modules: there });
    for (const name of there) {
      const { data } = await socket.until(({ type, module }) => type === 'DATA_UPDATE' && module === name, name);
      expect([name, data === null ? [] : wrongIn(strictModules[name], data)]).toEqual([name, []]);
    }
    const { data } = await socket.ask('GET_SETTINGS');
    expect(wrongIn(strictSettings, data)).toEqual([]);
    socket.end();
  });
});
