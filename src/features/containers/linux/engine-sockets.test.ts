import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { makeNamedPipe } from '../../../../test/harness/named-pipe.ts';
import { engineSocketPaths, lookAtSocket } from './engine-sockets.ts';

const directory = fs.realpathSync(fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-engines-')));
const at = (name: string) => path.join(directory, name);
const servers: net.Server[] = [];
afterAll(() => {
  for (const server of servers) server.close();
  fs.rmSync(directory, { recursive: true, force: true });
});

async function listenAt(file: string): Promise<string> {
  const server = net.createServer();
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(file, resolve));
  return file;
}

test('a socket of our own is used, by whichever name', async () => {
  const socket = await listenAt(at('docker.sock'));
  fs.symlinkSync(socket, at('other.sock'));
  expect(lookAtSocket(socket)).toEqual({ kind: 'socket', path: socket });
  expect(lookAtSocket(at('other.sock'))).toEqual({ kind: 'socket', path: socket });
});

test('that a group may connect to it is no objection', async () => {
  const socket = await listenAt(at('group.sock'));
  fs.chmodSync(socket, 0o660);
  expect(lookAtSocket(socket).kind).toBe('socket');
});

test('what is not there is not there', () => {
  fs.symlinkSync(at('nowhere'), at('dangling.sock'));
  for (const place of [at('none'), `${at('none')}/docker.sock`, at('dangling.sock')])
    expect(lookAtSocket(place)).toEqual({ kind: 'absent' });
});

test('files, directories and pipes are not sockets, and nothing waits for them', () => {
  fs.writeFileSync(at('file.sock'), '');
  makeNamedPipe(at('pipe.sock'));
  for (const place of [at('file.sock'), at('pipe.sock'), directory])
    expect(lookAtSocket(place)).toEqual({ kind: 'refused', problem: 'it is not a socket' });
});

test('a socket in a directory where others can put another one is not used', async () => {
  fs.mkdirSync(at('open'));
  const socket = await listenAt(at('open/docker.sock'));
  fs.chmodSync(at('open'), 0o777);
  expect(lookAtSocket(socket)).toMatchObject({ kind: 'refused' });
  fs.symlinkSync(socket, at('hidden.sock'));
  expect(lookAtSocket(at('hidden.sock'))).toMatchObject({ kind: 'refused' });
  fs.chmodSync(at('open'), 0o700);
  expect(lookAtSocket(socket).kind).toBe('socket');
});

// Only root can give a socket away.
test.skipIf(process.getuid?.() !== 0)('a socket of another user is not used', async () => {
  const socket = await listenAt(at('theirs.sock'));
  fs.chownSync(socket, 65_533, 65_533);
  expect(lookAtSocket(socket)).toMatchObject({ kind: 'refused', problem: expect.stringContaining('65533') });
});

test('engines are looked for in the usual places, and where the settings say', () => {
  expect(engineSocketPaths('/run/user/7', ['/srv/d.sock', '/run/docker.sock'])).toEqual([
    '/var/run/docker.sock',
    '/run/docker.sock',
    '/run/user/7/docker.sock',
    '/run/podman/podman.sock',
    '/run/user/7/podman/podman.sock',
    '/srv/d.sock',
  ]);
  expect(engineSocketPaths('relative', [])).not.toContain('relative/docker.sock');
});
