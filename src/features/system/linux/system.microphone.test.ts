import { expect, test } from 'bun:test';
import type { PulseStream } from '@hostler/pulseaudio/audio.ts';
import { PulseError } from '@hostler/pulseaudio/connection.ts';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import { createMicrophoneUsage, parseOwner, type RecordingServer, recorders } from './system.microphone.ts';

type Recording = Pick<PulseStream, 'name' | 'client' | 'device' | 'properties' | 'corked'>;

const stream: Recording = { name: null, client: 7, device: 2, properties: new Map(), corked: false };
const named = (name: string, changes: Partial<Recording> = {}): Recording => ({
  ...stream,
  properties: new Map([['application.name', name]]),
  ...changes,
});

function server(outputs: Recording[]): RecordingServer {
  return {
    recording: async () => outputs,
    sources: async () => [
      { index: 1, monitorOf: 'speakers' },
      { index: 2, monitorOf: null },
    ],
    clients: async () => [{ index: 7, name: 'old client', properties: new Map() }],
  };
}

test('programs that record a microphone are listed once, in order', async () => {
  expect(await recorders(server([named('Zoom'), named('Firefox'), named('Zoom')]))).toEqual(['Firefox', 'Zoom']);
});

test('recorders of an output, paused ones, level meters and filters of the server are not', async () => {
  const outputs = [
    named('Recorder', { device: 1 }),
    named('Paused', { corked: true }),
    { ...stream, properties: new Map([['application.id', 'org.PulseAudio.pavucontrol']]) },
    { ...stream, client: null, properties: new Map([['media.role', 'filter']]) },
  ];
  expect(await recorders(server(outputs))).toEqual([]);
});

test('a program that claims to be a filter is listed', async () => {
  const claim = named('Recorder');
  expect(
    await recorders(server([{ ...claim, properties: new Map([...claim.properties, ['media.role', 'filter']]) }])),
  ).toEqual(['Recorder']);
});

test('a program without a name has that of its file, its client or its stream', async () => {
  const binary = { ...stream, properties: new Map([['application.process.binary', 'parec']]) };
  expect(await recorders(server([binary, stream, { ...stream, client: 8, name: 'a stream' }]))).toEqual([
    'a stream',
    'old client',
    'parec',
  ]);
});

async function withoutServer(error: Error, contents: Record<string, string>) {
  const { reasons, collected } = collectReasons();
  const host = fakeHost({
    files: machineFiles(contents),
    paths: { config: '/c', state: '/s', runtime: '/r' },
    connectLocal: async () => {
      throw error;
    },
  });
  return { names: await createMicrophoneUsage(host).read(reasons), reasons: collected };
}

const noServer = Object.assign(new Error('connect ENOENT'), { code: 'ENOENT' });
const recording = {
  '/proc/asound/card0/pcm0c/sub0/status': 'state: RUNNING\nowner_pid   : 31\n',
  '/proc/asound/card0/pcm0p/sub0/status': 'state: RUNNING\nowner_pid   : 32\n',
  '/proc/31/comm': 'arecord\n',
  '/proc/32/comm': 'aplay\n',
};

test('without a sound server the sound cards show the recording processes', async () => {
  expect(await withoutServer(noServer, recording)).toEqual({ names: ['arecord'], reasons: [] });
});

test('without either there is nothing to record with, which is an inherent reason', async () => {
  const { names, reasons } = await withoutServer(noServer, {});
  expect(names).toEqual([]);
  expect(reasons).toMatchObject([{ field: 'microphone_usage', mendable: false }]);
});

test('a server that refuses is a reason, and the sound cards are used instead', async () => {
  const { names, reasons } = await withoutServer(new PulseError(1), recording);
  expect(names).toEqual(['arecord']);
  expect(reasons).toEqual([
    { field: 'microphone_usage', mendable: true, reason: expect.stringContaining('denied access') },
  ]);
});

test.each<[string, number | null]>([
  ['state: RUNNING\nowner_pid   : 3120\ntrigger_time: 1.0\n', 3120],
  ['state: PREPARED\nowner_pid   : 3120\n', null],
  ['state: SUSPENDED\nowner_pid   : 3120\n', null],
  ['closed\n', null],
  ['', null],
  ['state: RUNNING\nowner_pid   : -1\n', null],
])('a stream with the status %j is recorded by %p', (status, owner) => {
  expect(parseOwner(status)).toBe(owner);
});
