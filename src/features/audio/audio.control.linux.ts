import {
  audioOver,
  type DeviceKind,
  type PulseAudio,
  type PulseDevice,
  type PulseStream,
} from '@hostler/pulseaudio/audio.ts';
import { percentOf, scaledTo } from '@hostler/pulseaudio/volume.ts';
import type { ActionResult } from '../../core/action.ts';
import { NoPulseServer, openPulse, type PulseHost } from '../../host/linux/sound/pulse.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { type AudioChange, afterChange, audioSentence, type Loudness, opensInput } from './audio.change.ts';
import type { AudioControl } from './audio.contract.ts';
import { type AudioRequest, audioRefusal, loudest, readAudioRequest } from './audio.request.ts';
import type { AudioControlInput, AudioControlOutput } from './audio.schema.ts';

const answerTimeoutMs = 2000;

export const audioControlLinux = (host: PulseHost): AudioControl => ({
  unavailable: () => unavailable(host),
  control: (input, mayOpen) => control(input, host, mayOpen),
});

async function control(
  input: AudioControlInput,
  host: PulseHost,
  mayOpen: () => void,
): Promise<ActionResult<AudioControlOutput>> {
  const { name: action, request } = readAudioRequest(input);
  return await withAudio(host, async (audio) => {
    const { data, sentence } = await changeAudio(audio, input, request, mayOpen);
    return { message: sentence, data: { action, ...data } };
  });
}

async function unavailable(host: PulseHost): Promise<string | null> {
  try {
    await withAudio(host, (audio) => audio.server());
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

async function withAudio<T>(host: PulseHost, work: (audio: PulseAudio) => Promise<T>): Promise<T> {
  try {
    const connection = await openPulse(host, answerTimeoutMs);
    try {
      return await work(audioOver(connection));
    } finally {
      connection.close();
    }
  } catch (cause) {
    if (cause instanceof ServiceError) throw cause;
    if (cause instanceof NoPulseServer) {
      const sentence = 'No sound server is running: start PipeWire with pipewire-pulse, or PulseAudio';
      throw new ServiceError('unsupported', sentence, { cause });
    }
    throw new ServiceError('failed', `The sound server reported a failure: ${messageOf(cause)}`, { cause });
  }
}

interface Done {
  data: Omit<AudioControlOutput, 'action'>;
  sentence: string;
}

export async function changeAudio(
  audio: PulseAudio,
  input: AudioControlInput,
  request: AudioRequest,
  mayOpen: () => void,
): Promise<Done> {
  if (request.verb === 'MOVE') return await move(audio, input, mayOpen);
  if (request.verb === 'DEFAULT') return await makeDefault(audio, input, mayOpen);
  return input.stream === null || input.stream === undefined
    ? await changeDevice(audio, input, request, mayOpen)
    : await changeStream(audio, input.stream, input, request, mayOpen);
}

async function changeDevice(
  audio: PulseAudio,
  input: AudioControlInput,
  request: AudioChange,
  mayOpen: () => void,
): Promise<Done> {
  const { kind, device } = await findDevice(audio, input);
  const { volume, muted } = after(request, device);
  if (isMicrophone(kind, device) && opensInput(loudnessOf(device), { volume, muted })) mayOpen();
  if (request.verb === 'MUTE') await audio.setDeviceMuted(kind, device.index, muted);
  else await audio.setDeviceVolume(kind, device.index, scaledTo(device.volume, volume));
  const data = { device: device.name, stream: null, volume, is_muted: muted };
  return { data, sentence: audioSentence(device.description, data) };
}

async function changeStream(
  audio: PulseAudio,
  id: number,
  input: AudioControlInput,
  request: AudioChange,
  mayOpen: () => void,
): Promise<Done> {
  const stream = await findStream(audio, id, input);
  const title = titleOf(stream);
  const requireOpen = (loudness: Loudness) => {
    if (stream.kind === 'source' && opensInput(loudnessOf(stream), loudness)) mayOpen();
  };
  if (request.verb === 'MUTE') {
    const muted = request.on ?? !stream.muted;
    requireOpen({ ...loudnessOf(stream), muted });
    await audio.setStreamMuted(stream, muted);
    const volume = stream.volume === null ? null : percentOf(stream.volume);
    return await done(audio, stream, { volume, muted }, title);
  }
  if (stream.volume === null) throw new ServiceError('unsupported', `${title} has no volume of its own`);
  const { volume, muted } = after(request, { volume: stream.volume, muted: stream.muted });
  requireOpen({ volume, muted });
  await audio.setStreamVolume(stream, scaledTo(stream.volume, volume));
  return await done(audio, stream, { volume, muted }, title);
}

async function done(
  audio: PulseAudio,
  stream: PulseStream,
  { volume, muted }: { volume: number | null; muted: boolean },
  title: string,
): Promise<Done> {
  const devices = await devicesOf(audio, stream.kind);
  const device = devices.find(({ index }) => index === stream.device)?.name ?? '';
  const data = { device, stream: stream.index, volume, is_muted: muted };
  return { data, sentence: audioSentence(title, data) };
}

async function makeDefault(audio: PulseAudio, input: AudioControlInput, mayOpen: () => void): Promise<Done> {
  if (!input.device) throw audioRefusal(null, 'DEFAULT needs device: the id of an output or input');
  const { kind, device } = await findDevice(audio, input);
  if (isMicrophone(kind, device)) {
    const { defaultSource } = await audio.server();
    await requireSwitch(audio, ({ name }) => name === defaultSource, device, mayOpen);
  }
  await audio.setDefault(kind, device.name);
  const data = { device: device.name, stream: null, volume: percentOf(device.volume), is_muted: device.muted };
  return { data, sentence: `${device.description} is now the default` };
}

async function move(audio: PulseAudio, input: AudioControlInput, mayOpen: () => void): Promise<Done> {
  if (input.stream === null || input.stream === undefined || !input.device) {
    throw audioRefusal(null, 'MOVE needs stream and device: the stream to move, and the output or input to move it to');
  }
  const stream = await findStream(audio, input.stream, input);
  const { device } = await findDevice(audio, { device: input.device, kind: stream.kind });
  if (isMicrophone(stream.kind, device)) {
    await requireSwitch(audio, ({ index }) => index === stream.device, device, mayOpen);
  }
  await audio.moveStream(stream, device.index);
  const volume = stream.volume === null ? null : percentOf(stream.volume);
  const data = { device: device.name, stream: stream.index, volume, is_muted: stream.muted };
  return { data, sentence: `${titleOf(stream)} uses ${device.description}` };
}

/** From the microphone that is used now, if any. */
async function requireSwitch(
  audio: PulseAudio,
  isUsed: (source: PulseDevice) => boolean,
  device: PulseDevice,
  mayOpen: () => void,
): Promise<void> {
  const before = (await audio.sources()).find((source) => isMicrophone('source', source) && isUsed(source));
  if (opensInput(before === undefined ? null : loudnessOf(before), loudnessOf(device))) mayOpen();
}

/** The other inputs repeat what an output plays. */
const isMicrophone = (kind: DeviceKind, { monitorOf }: PulseDevice) => kind === 'source' && monitorOf === null;

const devicesOf = (audio: PulseAudio, kind: DeviceKind) => (kind === 'sink' ? audio.sinks() : audio.sources());

/** By its id; without one the default output, or input. Ids of outputs and inputs differ. */
async function findDevice(
  audio: PulseAudio,
  { device: id, kind: wanted }: Pick<AudioControlInput, 'device' | 'kind'>,
): Promise<{ kind: DeviceKind; device: PulseDevice }> {
  const kinds: DeviceKind[] = wanted ? [kindOf(wanted)] : id ? ['sink', 'source'] : ['sink'];
  for (const kind of kinds) {
    const server = id ? null : await audio.server();
    const name = server === null ? id : kind === 'sink' ? server.defaultSink : server.defaultSource;
    const device = (await devicesOf(audio, kind)).find((candidate) => candidate.name === name);
    if (device !== undefined) return { kind, device };
  }
  const sentence = id
    ? `There is no output or input ${JSON.stringify(id)}; the module audio lists them`
    : `There is no default ${kinds[0] === 'sink' ? 'output' : 'input'}; connect one, or specify a device`;
  throw new ServiceError('not_found', sentence);
}

async function findStream(
  audio: PulseAudio,
  id: number,
  { kind }: Pick<AudioControlInput, 'kind'>,
): Promise<PulseStream> {
  const streams = (await audio.streams()).filter(({ index }) => index === id);
  const stream = kind ? streams.find((candidate) => candidate.kind === kindOf(kind)) : streams[0];
  if (stream !== undefined) return stream;
  throw new ServiceError('not_found', `There is no stream ${id}; the module audio lists them`);
}

const kindOf = (kind: NonNullable<AudioControlInput['kind']>): DeviceKind =>
  kind === 'source' || kind === 'recording' ? 'source' : 'sink';

const after = (request: AudioChange, device: Pick<PulseDevice, 'volume' | 'muted'>) =>
  afterChange(request, loudnessOf(device), loudest);

/** A stream without a volume of its own has that of its device. */
const loudnessOf = ({ volume, muted }: Pick<PulseStream, 'volume' | 'muted'>): Loudness => ({
  volume: volume === null ? 100 : percentOf(volume),
  muted,
});

const titleOf = ({ properties, name, index }: PulseStream) =>
  properties.get('application.name') ?? name ?? `The stream ${index}`;
