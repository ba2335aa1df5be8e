import { expect, test } from 'bun:test';
import { PulseError } from '@hostler/pulseaudio/connection.ts';
import type { SourceOutput } from '@hostler/pulseaudio/entries.ts';
import { fakeHost } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { collectReasons } from '../../../../test/harness/machines.ts';
import { createMicrophoneUsage, type RecordingServer, recorders } from './system.microphone.ts';

const stream: SourceOutput = { name: null, client: 7, source: 2, properties: new Map(), corked: false };
const named = (name: string, changes: Partial<SourceOutput> = {}): SourceOutput => ({
  ...stream,
  properties: new Map([['application.name', name]]),
  ...changes,
});

function server(outputs: SourceOutput[]): RecordingServer {
  return {
    sourceOutputs: async () => outputs,
    sources: async () => [
      { index: 1, name: 'speakers.monitor', monitorOf: 0 },
      { index: 2, name: 'mic', monitorOf: null },
    ],
    clients: async () => [{ index: 7, name: 'old client', properties: new Map() }],
  };
}

test('programs that record a microphone are listed once, in order', async () => {
  expect(await recorders(server([named('Zoom'), named('Firefox'), named('Zoom')]))).toEqual(['Firefox', 'Zoom']);
});

test('recorders of an output, paused ones, level meters and filters of the server are not', async () => {
  const outputs = [
    named('Recorder', { source: 1 }),
    named('Paused', { corked: true }),
    { ...stream, properties: new Map([['application.id', 'org.PulseAudio.pavucontrol']]) },
    { ...stream, properties: new Map([['media.role', 'filter']]) },
  ];
  expect(await recorders(server(outputs))).toEqual([]);
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
