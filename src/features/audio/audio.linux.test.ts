import { expect, test } from 'bun:test';
import type { PulseDevice, PulseStream } from '@hostler/pulseaudio/audio.ts';
import { PulseError } from '@hostler/pulseaudio/connection.ts';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../test/harness/machines.ts';
import { audioLinux, readAudio } from './audio.linux.ts';
import { audioSchema } from './audio.schema.ts';

const speakers: PulseDevice = {
  index: 3,
  name: 'speakers',
  description: 'Loud Speakers',
  volume: [65_536, 32_768],
  muted: false,
  monitorOf: null,
  state: 'running',
  port: 'Headphones',
};
const monitor: PulseDevice = { ...speakers, index: 4, name: 'speakers.monitor', monitorOf: 'speakers', port: null };
const stream: PulseStream = {
  index: 17,
  kind: 'sink',
  name: 'a song',
  client: 5,
  device: 3,
  volume: [45_875],
  muted: true,
  corked: true,
  properties: new Map([
    ['application.name', 'Player'],
    ['application.process.id', '4711'],
  ]),
};
const server = { name: 'pulseaudio', version: '16.1', defaultSink: 'speakers', defaultSource: 'gone' };

test('the state of the sound server becomes the payload', async () => {
  const bare: PulseStream = { ...stream, kind: 'source', device: 99, volume: null, name: null, properties: new Map() };
  const payload = await readAudio({
    server: async () => server,
    sinks: async () => [speakers],
    sources: async () => [monitor],
    streams: async () => [stream, bare],
  });
  expect(audioSchema.parse(payload)).toEqual({
    server: 'pulseaudio 16.1',
    default_sink: 'speakers',
    default_source: null,
    sinks: [
      {
        id: 'speakers',
        name: 'Loud Speakers',
        is_default: true,
        volume: 100,
        is_muted: false,
        state: 'running',
        port: 'Headphones',
      },
    ],
    sources: [
      {
        id: 'speakers.monitor',
        name: 'Loud Speakers',
        is_default: false,
        volume: 100,
        is_muted: false,
        state: 'running',
        port: null,
        monitor_of: 'speakers',
      },
    ],
    streams: [
      {
        id: 17,
        kind: 'playback',
        application: 'Player',
        title: 'a song',
        process: 4711,
        device: 'speakers',
        volume: 70,
        is_muted: true,
        is_paused: true,
      },
      {
        id: 17,
        kind: 'recording',
        application: null,
        title: null,
        process: null,
        device: null,
        volume: null,
        is_muted: true,
        is_paused: true,
      },
    ],
  });
});

const noServer = Object.assign(new Error('connect ENOENT'), { code: 'ENOENT' });

test.each<[string, Error, Record<string, string>, boolean, string]>([
  ['neither card nor server', noServer, {}, false, 'no sound card'],
  ['a card and no server', noServer, { '/proc/asound/card0/id': 'x' }, true, 'start PipeWire'],
  ['a server that refuses', new PulseError(1), {}, true, 'denied access'],
  ['a server that hangs', new Error('it did not answer'), {}, true, 'it did not answer'],
])('%s gives an empty payload with a reason', async (_name, error, contents, mendable, sentence) => {
  const { reasons, collected } = collectReasons();
  const host = fakeHost({
    files: machineFiles(contents),
    paths: { config: '/c', state: '/s', runtime: '/r' },
    connectLocal: async () => {
      throw error;
    },
  });
  expect(await audioLinux(host, fakeContext()).read(reasons)).toMatchObject({ sinks: [], default_sink: null });
  expect(collected).toEqual([{ field: null, mendable, reason: expect.stringContaining(sentence) }]);
});
