import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { ConnectLocal, LocalSocketEvents } from '@hostler/io/local-socket.ts';
import { fakeClock } from '@hostler/io/testing/fake-clock.ts';
import { audioOver, introduce, type PulseAudio } from './audio.ts';
import { openPulseConnection } from './connection.ts';
import { decodeValues, encodeBytes, encodeProperties, encodeText, encodeU32 } from './tagstruct.ts';
import { frame, replying } from './testing/fake-pulse.ts';

describe.each(['pulseaudio-16.1', 'pipewire-0.3.65'])('the recorded replies of %s', (recording) => {
  const answers = framesOf(fs.readFileSync(path.join(import.meta.dirname, 'fixtures', `${recording}.bin`)));
  const all = (connectLocal: ConnectLocal) =>
    using(connectLocal, async (pulse) => {
      const [outputs, sources, clients] = await Promise.all([pulse.recording(), pulse.sources(), pulse.clients()]);
      const names = new Map(sources.map(({ index, name }) => [index, name]));
      return {
        sources: Object.fromEntries(sources.map(({ name, monitorOf }) => [name, monitorOf !== null])),
        outputs: outputs.map(({ properties, device }) => [properties.get('application.name'), names.get(device)]),
        clients: clients.map(({ properties }) => properties.get('application.name')),
      };
    });

  test('is read to its end, with streams, sources and clients', async () => {
    const { sources, outputs, clients } = await all(replying(answers));
    expect(sources).toMatchObject({ 'speakers.monitor': true, mic: false });
    expect(outputs).toContainEqual(['Mon', 'speakers.monitor']);
    expect(outputs).toContainEqual([recording.startsWith('pulse') ? 'PaListener' : 'PwListener', 'mic']);
    expect(clients).toContain('Mon');
  });

  test('is the same when it arrives byte by byte', async () => {
    expect(await all(replying(answers, 1))).toEqual(await all(replying(answers)));
  });
});

describe('a faulty sound server', () => {
  const ask = (connectLocal: ConnectLocal) => using(connectLocal, (pulse) => pulse.sources());

  test('a version from before 2011 is refused', async () => {
    await expect(ask(replying([frame(encodeU32(2), encodeU32(1), encodeU32(16))]))).rejects.toThrow(
      'older than PulseAudio 1.0',
    );
  });

  test.each<[string, Uint8Array, string]>([
    ['a message of a gigabyte', Buffer.from('4000000000000000000000000000000000000000', 'hex'), '1073741824 bytes'],
    ['a type that does not exist', frame(encodeU32(2), encodeU32(1), Buffer.from('?')), 'unknown type "?"'],
    ['an unterminated text', frame(encodeU32(2), encodeU32(1), Buffer.from('tabc')), 'an unterminated text'],
    ['truncated bytes', frame(encodeU32(2), encodeU32(1), Buffer.from('x\0\0\0\x09ab')), 'truncated'],
  ])('%s ends the connection', async (_name, bytes, message) => {
    await expect(ask(replying([bytes]))).rejects.toThrow(message);
  });

  test('an invalid message closes the connection, and nothing after it is read', async () => {
    let received = 0;
    let closed = 0;
    const started = Promise.withResolvers<LocalSocketEvents>();
    await openPulseConnection(
      async (_path, events) => {
        started.resolve(events);
        return { send: () => {}, close: () => void closed++ };
      },
      fakeClock(),
      { path: '/run/pulse', timeoutMs: 1000 },
      { received: () => void received++ },
    );
    const { data } = await started.promise;
    data(frame(encodeU32(66)));
    data(frame(Buffer.from('?')));
    data(frame(encodeU32(66)));
    expect([received, closed]).toEqual([1, 1]);
  });

  test('a closed connection is an error', async () => {
    const closing: ConnectLocal = async (_path, events) => ({ send: () => events.closed(null), close: () => {} });
    await expect(ask(closing)).rejects.toThrow('it closed the connection');
  });

  test('a connection that is never accepted times out', async () => {
    const clock = fakeClock();
    const stuck: ConnectLocal = () => new Promise(() => {});
    const asked = using(stuck, (pulse) => pulse.sources(), clock);
    clock.advance(1000);
    expect(await asked.catch((error: unknown) => String(error))).toContain('did not answer within 1 s');
  });
});

test('values survive a round trip', () => {
  const bytes = Buffer.concat([
    encodeU32(4_294_967_295),
    encodeText('é'),
    encodeText(null),
    encodeBytes(Buffer.from([1, 2])),
    encodeProperties({ 'application.name': 'Example' }),
  ]);
  const [number, text, nothing, raw, properties] = decodeValues(bytes);
  expect([number, text, nothing]).toEqual([4_294_967_295, 'é', null]);
  expect(raw).toEqual(Buffer.from([1, 2]));
  expect(properties).toEqual(new Map([['application.name', 'Example']]));
});

async function using<T>(
  connect: ConnectLocal,
  work: (pulse: PulseAudio) => Promise<T>,
  clock = fakeClock(),
): Promise<T> {
  const connection = await openPulseConnection(connect, clock, { path: '/run/pulse', timeoutMs: 1000 });
  try {
    await introduce(connection, new Uint8Array(256), 'Example');
    return await work(audioOver(connection));
  } finally {
    connection.close();
  }
}

function framesOf(recording: Buffer): Uint8Array[] {
  const frames: Uint8Array[] = [];
  for (let at = 0; at < recording.length; at += 20 + recording.readUInt32BE(at)) {
    frames.push(recording.subarray(at, at + 20 + recording.readUInt32BE(at)));
  }
  return frames;
}
