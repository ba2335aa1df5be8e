import { describe, expect, test } from 'bun:test';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import { encodeU32 } from '@hostler/pulseaudio/tagstruct.ts';
import { frame, replying } from '@hostler/pulseaudio/testing/fake-pulse.ts';
import { fakeClock, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { serverPaths } from './pulse.server.ts';
import { isAccessDenied, NoPulseServer, withPulse } from './pulse.ts';

describe('a faulty server', () => {
  const ask = (connectLocal: ConnectLocal) => withPulse(hostWith(connectLocal), 1000, (pulse) => pulse.sources());

  test('access denied is distinguished from other errors', async () => {
    const denied = await ask(replying([frame(encodeU32(0), encodeU32(1), encodeU32(1))])).catch(
      (error: unknown) => error,
    );
    const failed = await ask(replying([frame(encodeU32(0), encodeU32(1), encodeU32(15))])).catch(
      (error: unknown) => error,
    );
    expect([denied, failed].map(isAccessDenied)).toEqual([true, false]);
  });

  test('a silent server times out, and its socket is closed', async () => {
    const clock = fakeClock();
    let closed = 0;
    const silent: ConnectLocal = async () => ({ send: () => {}, close: () => void closed++ });
    const asked = withPulse({ ...hostWith(silent), clock }, 1000, (pulse) => pulse.sources());
    await Promise.resolve();
    clock.advance(1000);
    expect(await asked.catch((error: unknown) => String(error))).toContain('did not answer within 1 s');
    expect(closed).toBe(1);
    expect(clock.advanceToNext()).toBe(false);
  });
});

test('without a listener there is no server, and no timer stays', async () => {
  const clock = fakeClock();
  const refused: ConnectLocal = async (file) => {
    throw Object.assign(new Error(`connect ECONNREFUSED ${file}`), { code: 'ECONNREFUSED' });
  };
  const error = await withPulse({ ...hostWith(refused), clock }, 1000, async () => null).catch(
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(NoPulseServer);
  expect(clock.advanceToNext()).toBe(false);
});

test.each<[string | null, string | null, string[]]>([
  [null, '/run/user/1000', ['/run/user/1000/pulse/native', '/run/pulse/native']],
  [null, null, ['/run/pulse/native']],
  ['unix:/tmp/sound', '/run/user/1000', ['/tmp/sound']],
  ['/tmp/sound', null, ['/tmp/sound']],
  ['{5f3}unix:/tmp/sound tcp:far.example.org:4713', null, ['/tmp/sound']],
  ['tcp:far.example.org', '/run/user/1000', []],
])('PULSE_SERVER %p in %p leads to %p', (variable, runtime, servers) => {
  expect(serverPaths(variable, runtime)).toEqual(servers);
});

function hostWith(connectLocal: ConnectLocal) {
  const { environment, clock } = fakeHost();
  const files = fakeHost({ root: '/nonexistent' }).files;
  return { connectLocal, environment, clock, files, paths: { config: '/c', state: '/s', runtime: '/r' } };
}
