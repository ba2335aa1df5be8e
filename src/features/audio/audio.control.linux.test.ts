import { expect, test } from 'bun:test';
import type { DeviceKind, PulseAudio, PulseDevice, PulseStream } from '@hostler/pulseaudio/audio.ts';
import { ServiceError } from '../../lib/errors.ts';
import { changeAudio } from './audio.control.linux.ts';
import { readAudioRequest } from './audio.request.ts';
import type { AudioControlInput } from './audio.schema.ts';

const device = (index: number, name: string, more: Partial<PulseDevice> = {}): PulseDevice => ({
  index,
  name,
  description: name,
  volume: [32_768],
  muted: false,
  monitorOf: null,
  state: 'idle',
  port: null,
  ...more,
});
const sources = [
  device(1, 'mic', { muted: true }),
  device(2, 'headset', { volume: [0] }),
  device(3, 'webcam'),
  device(4, 'speakers.monitor', { monitorOf: 'speakers', muted: true }),
];
const recorder = (index: number, more: Partial<PulseStream> = {}): PulseStream => ({
  index,
  kind: 'source',
  name: 'recorder',
  client: null,
  device: 1,
  volume: null,
  muted: false,
  corked: false,
  properties: new Map(),
  ...more,
});

async function ordersFor(input: AudioControlInput, mayOpen: () => void): Promise<string[]> {
  const orders: string[] = [];
  const order = (name: string) => async (kind: DeviceKind | PulseStream, which: unknown) =>
    void orders.push(`${name} ${typeof kind === 'string' ? which : kind.index}`);
  const audio = {
    server: async () => ({ name: '', version: '', defaultSink: 'speakers', defaultSource: 'mic' }),
    sinks: async () => [device(9, 'speakers', { muted: true })],
    sources: async () => sources,
    streams: async () => [
      recorder(20, { muted: true }),
      recorder(21),
      recorder(22, { kind: 'sink', muted: true, device: 9 }),
    ],
    setDeviceMuted: order('mute'),
    setDeviceVolume: order('volume'),
    setStreamMuted: order('stream mute'),
    setDefault: order('default'),
    moveStream: order('move'),
  } as unknown as PulseAudio;
  await changeAudio(audio, input, readAudioRequest(input).request, mayOpen);
  return orders;
}

const refuse = () => {
  throw new ServiceError('forbidden', 'no microphone');
};

test.each<[AudioControlInput, string]>([
  [{ action: 'MUTE', kind: 'source' }, 'mute 1'],
  [{ action: 'MUTE', value: false, device: 'mic' }, 'mute 1'],
  [{ action: 'VOLUME_UP', device: 'headset' }, 'volume 2'],
  [{ action: 'MUTE', stream: 20 }, 'stream mute 20'],
  [{ action: 'DEFAULT', device: 'webcam' }, 'default webcam'],
  [{ action: 'MOVE', stream: 21, device: 'webcam' }, 'move 21'],
])('%j opens a microphone, and is refused without permission before anything changes', async (input, order) => {
  await expect(ordersFor(input, refuse)).rejects.toThrow('no microphone');
  expect(await ordersFor(input, () => {})).toEqual([order]);
});

test.each<[AudioControlInput, string]>([
  [{ action: 'MUTE', value: true, kind: 'source' }, 'mute 1'],
  [{ action: 'VOLUME', value: 90, device: 'mic' }, 'volume 1'],
  [{ action: 'MUTE', device: 'webcam' }, 'mute 3'],
  [{ action: 'VOLUME_UP', device: 'webcam' }, 'volume 3'],
  [{ action: 'MUTE', device: 'speakers.monitor' }, 'mute 4'],
  [{ action: 'DEFAULT', device: 'headset' }, 'default headset'],
  [{ action: 'MOVE', stream: 21, device: 'speakers.monitor' }, 'move 21'],
  [{ action: 'MUTE', stream: 22 }, 'stream mute 22'],
  [{ action: 'MUTE', value: false }, 'mute 9'],
])('%j opens no microphone', async (input, order) => {
  expect(await ordersFor(input, refuse)).toEqual([order]);
});
