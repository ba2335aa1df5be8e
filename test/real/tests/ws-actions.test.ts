import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { until } from '../../harness/until.ts';
import { anotherUser, canBeAnotherUser } from '../harness/another-user.ts';
import { needs } from '../harness/parts.ts';
import { createToken, type RunningHostler, startHostler } from '../harness/service.ts';
import { connectSocket, createSocketClients } from '../harness/socket-client.ts';

/** The actions that need nothing but the machine, over a real socket to the real service. */

setDefaultTimeout(120_000);

let hostler: RunningHostler;
let home: string;
const files = 20_000;

const sh = (id: string, script: string) => ({
  id,
  name: id,
  command: '/bin/sh',
  workingDir: '',
  arguments: ['-c', script],
});

/** A script that opens its output by name, as many do. */
const byName = 'echo out > /dev/stdout; echo err > /dev/stderr; echo more >> /dev/stderr';
const byNameEnds = { data: { exitCode: 0, stdout: 'out\n', stderr: 'err\nmore\n' } };

beforeAll(async () => {
  hostler = await startHostler({
    env: { HOSTLER_TEST_SECRET: 'secret', NODE_OPTIONS: '' },
    prepare(directory) {
      home = path.join(directory, 'home');
      fs.mkdirSync(path.join(home, 'Music', 'album'), { recursive: true });
      fs.writeFileSync(path.join(home, 'Music', 'song.mp3'), 'song');
      fs.symlinkSync('/etc', path.join(home, 'Music', 'out'));
      fs.mkdirSync(path.join(home, 'many'));
      for (let index = 0; index < files; index += 1) fs.writeFileSync(path.join(home, 'many', `${index}.jpg`), '');
      fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
      const allowlist = [
        sh('words', 'echo one; sleep 0.3; echo two >&2; exit 5'),
        sh('forever', `trap '' TERM; sleep 1000 & echo $! > ${home}/pid; wait`),
        sh('environment', 'env'),
        sh('by-name', byName),
      ];
      fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify({ commands: { allowlist } }));
    },
  });
});
afterAll(() => hostler?.stop());

const connect = createSocketClients(() => hostler);

describe('files', () => {
  test('are browsed as a media browser does it', async () => {
    const client = await connect();
    expect(await client.ask('GET_DIRECTORIES')).toMatchObject({
      type: 'DIRECTORIES',
      data: [
        { key: 'home', name: 'Home', path: home },
        { key: 'music', name: 'Music', path: path.join(home, 'Music') },
      ],
    });
    expect(await client.ask('GET_FILES', { base: 'music', path: null })).toMatchObject({
      type: 'FILES',
      data: [
        { name: 'album', isDirectory: true },
        { name: 'out', isDirectory: false, permissions: 'lrwxrwxrwx' },
        { name: 'song.mp3', isDirectory: false, size: 4, contentType: 'audio/mpeg' },
      ],
    });
    expect(await client.ask('GET_FILE', { base: 'music', path: 'song.mp3' })).toMatchObject({
      type: 'FILE',
      data: { path: path.join(home, 'Music', 'song.mp3'), mime_type: 'audio/mpeg' },
    });
  });

  test.each([
    ['GET_FILES', {}, 'MISSING_BASE'],
    ['GET_FILES', { base: 'nowhere' }, 'BAD_DIRECTORY'],
    ['GET_FILES', { base: 'music', path: 'out' }, 'BAD_PATH'],
    ['GET_FILES', { base: 'music', path: '../..' }, 'BAD_PATH'],
    ['GET_FILE', { base: 'music' }, 'MISSING_PATH'],
    ['GET_FILE', { base: 'music', path: 'nothing' }, 'BAD_FILE'],
    ['GET_FILE', { path: '/etc/passwd' }, 'BAD_PATH'],
    ['VALIDATE_DIRECTORY', {}, 'MISSING_PATH'],
  ])('%s %j: %s', async (event, data, subtype) => {
    const { message, ...answer } = await (await connect()).ask(event, data);
    expect(answer).toMatchObject({ type: 'ERROR', subtype, data: null });
    expect(message).toBeString();
  });

  test('are listed in one large message, while others are answered', async () => {
    const client = await connect();
    client.send('GET_FILES', { base: 'home', path: 'many' }, { id: 'many' });
    const isDone = () => client.messages.some(({ id }) => id === 'many');
    let meanwhile = 0;
    while (!isDone()) {
      expect((await hostler.get('/api/health')).status).toBe(200);
      if (!isDone()) meanwhile += 1;
    }
    expect(meanwhile).toBeGreaterThan(5);
    const answer = client.messages.find(({ id }) => id === 'many');
    expect(answer?.type).toBe('FILES');
    expect(answer?.data).toHaveLength(files);
  });
});

test('and all mounts are listed, in the two categories', async () => {
  expect(await (await connect()).ask('GET_DISK_MOUNTS')).toMatchObject({
    type: 'DISK_MOUNTS',
    data: { primary: expect.any(Array), secondary: { bind: expect.any(Array), squashfs: expect.any(Array) } },
  });
});

describe('settings', () => {
  test('are changed in part, saved, and pushed', async () => {
    const client = await connect();
    const { data } = await client.ask('UPDATE_SETTINGS', { disks: { allowedSecondaryMountPoints: ['/snap'] } });
    expect(await client.ask('GET_SETTINGS')).toMatchObject({ type: 'SETTINGS_RESULT', data });
    expect(data).toMatchObject({ commands: { allowlist: [{ id: 'words' }, {}, {}, {}] } });
    const saved = fs.readFileSync(path.join(hostler.directory, 'config', 'settings.json'), 'utf8');
    expect(JSON.parse(saved)).toMatchObject({ disks: { allowedSecondaryMountPoints: ['/snap'] } });
  });

  test('that only the owner may change are FORBIDDEN, also here', async () => {
    const answer = await (await connect()).ask('UPDATE_SETTINGS', { security: { remoteAdmin: true } });
    expect(answer).toMatchObject({ type: 'ERROR', subtype: 'FORBIDDEN' });
  });

  test('need a scope: command reads, admin changes', async () => {
    const token = await createToken(hostler, 'runner', 'command');
    const client = await connect();
    expect(await client.ask('GET_SETTINGS', {}, { token })).toMatchObject({ type: 'SETTINGS_RESULT' });
    expect(await client.ask('UPDATE_SETTINGS', {}, { token })).toMatchObject({ type: 'ERROR', subtype: 'FORBIDDEN' });
    expect(await client.ask('GET_FILES', { base: 'music' }, { token })).toMatchObject({ subtype: 'FORBIDDEN' });
    expect(await client.ask('EXIT_APPLICATION', {}, { token })).toMatchObject({ subtype: 'FORBIDDEN' });
  });
});

describe('commands', () => {
  test('are announced, streamed to the caller, and answered to no other client', async () => {
    const [client, other] = [await connect(), await connect()];
    await other.ask('GET_DIRECTORIES');
    client.send('COMMAND_EXECUTE', { commandID: 'words', stream: true }, { id: 'run' });
    const done = await client.until(({ type }) => type === 'COMMAND_COMPLETED', 'the end of the command');
    expect(done).toEqual({
      id: 'run',
      type: 'COMMAND_COMPLETED',
      subtype: 'NONE',
      data: { commandID: 'words', exitCode: 5, stdout: 'one\n', stderr: 'two\n' },
    });
    expect(client.messages.map(({ id, type }) => `${id} ${type}`)).toEqual([
      'run COMMAND_EXECUTING',
      'run COMMAND_OUTPUT',
      'run COMMAND_OUTPUT',
      'run COMMAND_COMPLETED',
    ]);
    expect(other.messages.map(({ type }) => type)).toEqual(['DIRECTORIES']);
  });

  test('see no environment of the service', async () => {
    const client = await connect();
    client.send('COMMAND_EXECUTE', { commandID: 'environment' });
    const { data } = await client.until(({ type }) => type === 'COMMAND_COMPLETED', 'the end of the command');
    expect(JSON.stringify(data)).toContain(`HOME=${home}`);
    expect(JSON.stringify(data)).not.toMatch(/HOSTLER|SERVICE_|BUN_|NODE_|npm_|secret/);
  });

  test('open their output by name', async () => {
    const client = await connect();
    client.send('COMMAND_EXECUTE', { commandID: 'by-name' });
    expect(await client.until(({ type }) => type === 'COMMAND_COMPLETED', 'its end')).toMatchObject(byNameEnds);
  });

  test.skipIf(!canBeAnotherUser() || !needs('setpriv'))('do so under a service of another user', async () => {
    await using own = await startHostler({
      through: ['setpriv', `--reuid=${anotherUser}`, `--regid=${anotherUser}`, '--clear-groups'],
      prepare(directory) {
        fs.mkdirSync(path.join(directory, 'config'), { recursive: true });
        const settings = JSON.stringify({ commands: { allowlist: [sh('by-name', byName)] } });
        fs.writeFileSync(path.join(directory, 'config', 'settings.json'), settings);
        for (const place of ['', 'home', 'config', 'config/settings.json'])
          fs.chownSync(path.join(directory, place), anotherUser, anotherUser);
      },
    });
    expect(fs.statSync(`/proc/${own.pid}`).uid).toBe(anotherUser);
    const client = await connectSocket(own);
    client.send('COMMAND_EXECUTE', { commandID: 'by-name' });
    expect(await client.until(({ type }) => type === 'COMMAND_COMPLETED', 'its end')).toMatchObject(byNameEnds);
    client.end();
  });

  test('that are not in the list are unknown', async () => {
    const answer = await (await connect()).ask('COMMAND_EXECUTE', { commandID: '/bin/sh' });
    expect(answer).toMatchObject({ type: 'ERROR', subtype: 'COMMAND_NOT_FOUND' });
  });
});

test('an authorised caller ends the service, is answered, and everything that runs ends with it', async () => {
  const client = await connect();
  client.send('COMMAND_EXECUTE', { commandID: 'forever' });
  const pidFile = path.join(home, 'pid');
  await until(() => fs.existsSync(pidFile) && fs.readFileSync(pidFile, 'utf8') !== '', 'the command to run');
  const pid = Number(fs.readFileSync(pidFile, 'utf8'));
  expect(fs.existsSync(`/proc/${pid}`)).toBeTrue();
  expect(await client.ask('EXIT_APPLICATION')).toMatchObject({ type: 'APPLICATION_EXITING', data: null });
  expect((await client.closed).code).toBe(1001);
  await until(() => !fs.existsSync(`/proc/${hostler.pid}`) || isZombie(hostler.pid), 'the service to be gone');
  await until(() => !fs.existsSync(`/proc/${pid}`) || isZombie(pid), 'the grandchild to be gone');
});

function isZombie(pid: number): boolean {
  try {
    return fs.readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.[0] === 'Z';
  } catch {
    return true;
  }
}
