import { expect, test } from 'bun:test';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { lacks } from '../../../../test/harness/lacks.ts';
import { lookingAt, unixSockets, windowsSockets } from './chat.sockets.ts';

const isElsewhere = lacks('paths');
const all = () => true;
const none = () => false;

const machine = (variables: Record<string, string>, runtime: string | null) =>
  fakeHost({ paths: { config: '', state: '', runtime }, environment: { variables } });

test.skipIf(isElsewhere)(
  'the socket is searched in the runtime directory, then in the temporary directories, each with Flatpak and Snap',
  () => {
    const sockets = unixSockets(machine({ TMPDIR: '/var/tmp/me', TMP: '/scratch', TEMP: '/temp' }, '/run/user/1000'));
    const paths = sockets.candidates(all, all);
    expect(paths.filter((path) => path.endsWith('-0'))).toEqual(
      ['/run/user/1000', '/var/tmp/me', '/scratch', '/temp', '/tmp'].flatMap((base) => [
        `${base}/discord-ipc-0`,
        `${base}/app/com.discordapp.Discord/discord-ipc-0`,
        `${base}/snap.discord/discord-ipc-0`,
      ]),
    );
    expect(paths.slice(0, 10)).toEqual(Array.from({ length: 10 }, (_, n) => `/run/user/1000/discord-ipc-${n}`));
  },
);

test('a directory with several names is searched once, and one without an absolute path is not searched', () => {
  const paths = unixSockets(machine({ TMPDIR: '/tmp/', TMP: 'relative' }, null)).candidates(all, all);
  expect(paths).toHaveLength(30);
  expect(new Set(paths).size).toBe(30);
});

test('on Windows the sockets are named pipes', () => {
  const paths = windowsSockets().candidates(none, all);
  expect(paths[3]).toBe('\\\\?\\pipe\\discord-ipc-3');
  expect(paths).toHaveLength(10);
});

test.skipIf(isElsewhere)('in busy directories only the socket and the directories on its path matter', () => {
  const { matters, directories } = unixSockets(machine({}, '/run/user/1000'));
  expect(['discord-ipc-0', 'app', 'com.discordapp.Discord', 'snap.discord'].map(matters)).toEqual(Array(4).fill(true));
  expect(['systemd-private', 'app2', 'bus'].map(matters)).toEqual([false, false, false]);
  expect(directories(all)).toContain('/run/user/1000/app');
});

test.skipIf(isElsewhere)('sockets in a missing directory are not checked', () => {
  const asked: string[] = [];
  const there = new Set(['/tmp', '/tmp/discord-ipc-1']);
  const sockets = unixSockets(machine({}, '/run/user/1000'));
  const found = sockets.candidates((path) => {
    asked.push(path);
    return there.has(path);
  }, all);
  expect(found).toEqual(['/tmp/discord-ipc-1']);
  expect(asked).toHaveLength(6 + 10);
});

test('a socket of another user is not used', () => {
  const sockets = unixSockets(machine({}, null));
  expect(sockets.candidates(all, (path) => !path.startsWith('/tmp/discord-ipc-'))).not.toContain('/tmp/discord-ipc-0');
});

test.skipIf(isElsewhere)('directories that other users made in /tmp are neither looked into nor watched', () => {
  const asked: string[] = [];
  const sockets = unixSockets(machine({}, '/run/user/1000'));
  const isOurs = (path: string) => path.startsWith('/run/user/1000/') || path === '/tmp/snap.discord';
  sockets.candidates((path) => {
    asked.push(path);
    return false;
  }, isOurs);
  expect(asked).toEqual([
    '/run/user/1000',
    '/run/user/1000/app/com.discordapp.Discord',
    '/run/user/1000/snap.discord',
    '/tmp',
    '/tmp/snap.discord',
  ]);
  expect(sockets.directories(isOurs).filter((path) => path.startsWith('/tmp'))).toEqual(['/tmp', '/tmp/snap.discord']);
});

test('a place that cannot be looked at is not there, and not ours', () => {
  const fail = () => {
    throw Object.assign(new Error('EACCES'), { code: 'EACCES' });
  };
  const { exists, isOurs } = lookingAt({ signature: fail, isOurs: fail });
  expect([exists('/tmp/snap.discord/discord-ipc-0'), isOurs('/tmp/snap.discord/discord-ipc-0')]).toEqual([
    false,
    false,
  ]);
});
