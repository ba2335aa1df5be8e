import { afterAll, expect, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { makeNamedPipe } from '../../../../test/harness/named-pipe.ts';
import { engineSocketPaths, lookUpSocket } from './engine-sockets.ts';

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

test('a socket of this user is accepted under every path', async () => {
  const socket = await listenAt(at('docker.sock'));
  fs.symlinkSync(socket, at('other.sock'));
  expect(lookUpSocket(socket)).toEqual({ kind: 'socket', path: socket });
  expect(lookUpSocket(at('other.sock'))).toEqual({ kind: 'socket', path: socket });
});

test('a socket that a group may connect to is accepted', async () => {
  const socket = await listenAt(at('group.sock'));
  fs.chmodSync(socket, 0o660);
  expect(lookUpSocket(socket).kind).toBe('socket');
});

test('a missing path is absent', () => {
  fs.symlinkSync(at('nowhere'), at('dangling.sock'));
  for (const place of [at('none'), `${at('none')}/docker.sock`, at('dangling.sock')])
    expect(lookUpSocket(place)).toEqual({ kind: 'absent' });
});

test('files, directories and pipes are refused without blocking', () => {
  fs.writeFileSync(at('file.sock'), '');
  makeNamedPipe(at('pipe.sock'));
  for (const place of [at('file.sock'), at('pipe.sock'), directory])
    expect(lookUpSocket(place)).toEqual({ kind: 'refused', problem: 'it is not a socket' });
});

test('a socket in a directory that other users can write is refused', async () => {
  fs.mkdirSync(at('open'));
  const socket = await listenAt(at('open/docker.sock'));
  fs.chmodSync(at('open'), 0o777);
  expect(lookUpSocket(socket)).toMatchObject({ kind: 'refused' });
  fs.symlinkSync(socket, at('hidden.sock'));
  expect(lookUpSocket(at('hidden.sock'))).toMatchObject({ kind: 'refused' });
  fs.chmodSync(at('open'), 0o700);
  expect(lookUpSocket(socket).kind).toBe('socket');
});

// Only root can change the owner of a socket.
test.skipIf(process.getuid?.() !== 0)('a socket of another user is refused', async () => {
  const socket = await listenAt(at('theirs.sock'));
  fs.chownSync(socket, 65_533, 65_533);
  expect(lookUpSocket(socket)).toMatchObject({ kind: 'refused', problem: expect.stringContaining('65533') });
});

test('engines are searched at the usual paths and at those of the settings', () => {
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
