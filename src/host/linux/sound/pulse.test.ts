import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { decodeValues, encodeBytes, encodeProperties, encodeText, encodeU32 } from '@hostler/pulseaudio/tagstruct.ts';
import { fakeClock, fakeHost } from '../../../../test/doubles/fake-host.ts';
import { frame } from '../../../../test/doubles/fake-pulse.ts';
import { serverPaths } from './pulse.server.ts';
import { isAccessDenied, NoPulseServer, withPulse } from './pulse.ts';

describe.each(['pulseaudio-16.1', 'pipewire-0.3.65'])('what %s once answered', (recording) => {
  const answers = framesOf(fs.readFileSync(path.join(import.meta.dirname, 'fixtures', `${recording}.bin`)));
  const all = (connectLocal: ConnectLocal) =>
    withPulse(hostWith(connectLocal), 1000, async (pulse) => {
      const [outputs, sources, clients] = await Promise.all([pulse.sourceOutputs(), pulse.sources(), pulse.clients()]);
      const names = new Map(sources.map(({ index, name }) => [index, name]));
      return {
        sources: Object.fromEntries(sources.map(({ name, monitorOf }) => [name, monitorOf !== null])),
        outputs: outputs.map(({ properties, source }) => [properties.get('application.name'), names.get(source)]),
        clients: clients.map(({ properties }) => properties.get('application.name')),
      };
    });

  test('is read to its end, with streams, sources and clients', async () => {
    const { sources, outputs, clients } = await all(answering(answers));
    expect(sources).toMatchObject({ 'speakers.monitor': true, mic: false });
    expect(outputs).toContainEqual(['Mon', 'speakers.monitor']);
    expect(outputs).toContainEqual([recording.startsWith('pulse') ? 'PaListener' : 'PwListener', 'mic']);
    expect(clients).toContain('Mon');
  });

  test('is the same when it arrives byte by byte', async () => {
    expect(await all(answering(answers, 1))).toEqual(await all(answering(answers)));
  });
});

describe('a server that behaves badly', () => {
  const ask = (connectLocal: ConnectLocal) => withPulse(hostWith(connectLocal), 1000, (pulse) => pulse.sources());

  test('access denied is told apart from other errors', async () => {
    const denied = await ask(answering([frame(encodeU32(0), encodeU32(1), encodeU32(1))])).catch(
      (error: unknown) => error,
    );
    const failed = await ask(answering([frame(encodeU32(0), encodeU32(1), encodeU32(15))])).catch(
      (error: unknown) => error,
    );
    expect([denied, failed].map(isAccessDenied)).toEqual([true, false]);
  });

  test('a version from before 2011 is refused', async () => {
    await expect(ask(answering([frame(encodeU32(2), encodeU32(1), encodeU32(16))]))).rejects.toThrow(
      'older than PulseAudio 1.0',
    );
  });

  test.each<[string, Uint8Array, string]>([
    ['a message of a gigabyte', Buffer.from('4000000000000000000000000000000000000000', 'hex'), '1073741824 bytes'],
    ['a type that does not exist', frame(encodeU32(2), encodeU32(1), Buffer.from('?')), 'unknown type "?"'],
    ['a text without an end', frame(encodeU32(2), encodeU32(1), Buffer.from('tabc')), 'without an end'],
    ['bytes that are not all there', frame(encodeU32(2), encodeU32(1), Buffer.from('x\0\0\0\x09ab')), 'ends too early'],
  ])('%s ends the connection', async (_name, bytes, message) => {
    await expect(ask(answering([bytes]))).rejects.toThrow(message);
  });

  test('one that closes is an error', async () => {
    const closing: ConnectLocal = async (_path, events) => ({ send: () => events.closed(null), close: () => {} });
    await expect(ask(closing)).rejects.toThrow('it closed the connection');
  });

  test('one that says nothing is given up after the time, and its socket closed', async () => {
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

  test('one that never accepts is given up as well', async () => {
    const clock = fakeClock();
    const stuck: ConnectLocal = () => new Promise(() => {});
    const asked = withPulse({ ...hostWith(stuck), clock }, 1000, (pulse) => pulse.sources());
    clock.advance(1000);
    expect(await asked.catch((error: unknown) => String(error))).toContain('did not answer within 1 s');
  });
});

test('where nobody listens there is no server, and no timer stays', async () => {
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

test('values come back as they were sent', () => {
  const bytes = Buffer.concat([
    encodeU32(4_294_967_295),
    encodeText('é'),
    encodeText(null),
    encodeBytes(Buffer.from([1, 2])),
    encodeProperties({ 'application.name': 'Hostler' }),
  ]);
  const [number, text, nothing, raw, properties] = decodeValues(bytes);
  expect([number, text, nothing]).toEqual([4_294_967_295, 'é', null]);
  expect(raw).toEqual(Buffer.from([1, 2]));
  expect(properties).toEqual(new Map([['application.name', 'Hostler']]));
});

function hostWith(connectLocal: ConnectLocal) {
  const { environment, clock } = fakeHost();
  const files = fakeHost({ root: '/nonexistent' }).files;
  return { connectLocal, environment, clock, files, paths: { config: '/c', state: '/s', runtime: '/r' } };
}

/** Gives one recorded answer to each thing that is sent, in pieces of some bytes. */
function answering(answers: Uint8Array[], pieceBytes = 4096): ConnectLocal {
  return async (_path, events: LocalSocketEvents) => {
    let sent = 0;
    return {
      send() {
        const answer = answers[sent++] ?? new Uint8Array();
        queueMicrotask(() => {
          for (let at = 0; at < answer.length; at += pieceBytes) events.data(answer.subarray(at, at + pieceBytes));
        });
      },
      close: () => {},
    };
  };
}

function framesOf(recording: Buffer): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < recording.length; at += 20 + recording.readUInt32BE(at)) {
    frames.push(recording.subarray(at, at + 20 + recording.readUInt32BE(at)));
  }
  return frames;
}
