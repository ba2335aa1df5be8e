import type { ActionResult } from '../../core/action.ts';
import type { AudioEndpoint, AudioSession, CoreAudio } from '../../host/windows/com/coreaudio.ts';
import type { Elsewhere } from '../../host/windows/native-threads.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf, ServiceError } from '../../lib/errors.ts';
import { type AudioChange, afterChange, audioSentence, opensInput } from './audio.change.ts';
import type { AudioControl } from './audio.contract.ts';
import { type AudioRequest, audioRefusal, readAudioRequest } from './audio.request.ts';
import type { AudioControlInput, AudioControlOutput } from './audio.schema.ts';
import { sessionNumber } from './session-number.windows.ts';

/** Windows does not amplify. */
const loudest = 100;

/** Core Audio. Setting the default device uses an undocumented interface that was not yet tested on Windows. */
export const audioControlWindows = (host: Pick<WindowsHost, 'nativeElsewhere'>): AudioControl => {
  const audio = host.nativeElsewhere('coreaudio');
  return {
    unavailable: () => audio.devices().then(() => null, messageOf),
    async control(input, mayOpen) {
      const { name: action, request } = readAudioRequest(input);
      const { data, sentence } = await perform(audio, input, request, mayOpen).catch((cause: unknown) => {
        if (cause instanceof ServiceError) throw cause;
        throw new ServiceError('failed', `Windows reported a failure: ${messageOf(cause)}`, { cause });
      });
      return { message: sentence, data: { action, ...data } };
    },
  };
};

interface Done {
  data: Omit<ActionResult<AudioControlOutput>['data'], 'action'>;
  sentence: string;
}

async function perform(
  audio: Elsewhere<CoreAudio>,
  input: AudioControlInput,
  request: AudioRequest,
  mayOpen: () => void,
): Promise<Done> {
  if (request.verb === 'MOVE')
    throw new ServiceError('unsupported', 'Windows does not let a program move another program to another device');
  const devices = await audio.devices();
  if (request.verb === 'DEFAULT') return await makeDefault(audio, devices, input, mayOpen);
  if (request.verb === 'VOLUME' && request.amount > loudest)
    throw audioRefusal(null, `Windows does not amplify: VOLUME accepts at most ${loudest}`);
  return typeof input.stream === 'number'
    ? await changeSession(audio, findSession(devices, input.stream, input), request, mayOpen)
    : await changeDevice(audio, findDevice(devices, input), request, mayOpen);
}

async function changeDevice(
  audio: Elsewhere<CoreAudio>,
  device: AudioEndpoint,
  request: AudioChange,
  mayOpen: () => void,
): Promise<Done> {
  const { volume, muted } = afterChange(request, loudness(device), loudest);
  if (device.flow === 'input' && opensInput(loudness(device), { volume, muted })) mayOpen();
  if (request.verb === 'MUTE') await audio.setMuted(device.id, muted);
  else await audio.setVolume(device.id, volume / 100);
  const data = { device: device.id, stream: null, volume, is_muted: muted };
  return { data, sentence: audioSentence(device.name, data) };
}

interface FoundSession {
  device: AudioEndpoint;
  session: AudioSession;
}

async function changeSession(
  audio: Elsewhere<CoreAudio>,
  { device, session }: FoundSession,
  request: AudioChange,
  mayOpen: () => void,
): Promise<Done> {
  const { volume, muted } = afterChange(request, loudness(session), loudest);
  if (device.flow === 'input' && opensInput(loudness(session), { volume, muted })) mayOpen();
  if (request.verb === 'MUTE') await audio.setSessionMuted(device.id, session.id, muted);
  else await audio.setSessionVolume(device.id, session.id, volume / 100);
  const number = sessionNumber(session.id);
  const data = { device: device.id, stream: number, volume, is_muted: muted };
  return { data, sentence: audioSentence(session.title === '' ? `The stream ${number}` : session.title, data) };
}

async function makeDefault(
  audio: Elsewhere<CoreAudio>,
  devices: AudioEndpoint[],
  input: AudioControlInput,
  mayOpen: () => void,
): Promise<Done> {
  if (!input.device) throw audioRefusal(null, 'DEFAULT needs device: the id of an output or input');
  const device = findDevice(devices, input);
  const before = devices.find(({ flow, isDefault }) => flow === device.flow && isDefault);
  if (device.flow === 'input' && opensInput(before === undefined ? null : loudness(before), loudness(device)))
    mayOpen();
  await audio.setDefault(device.id);
  const { volume, muted } = loudness(device);
  const data = { device: device.id, stream: null, volume, is_muted: muted };
  return { data, sentence: `${device.name} is now the default` };
}

const loudness = ({ volume, muted }: { volume: number; muted: boolean }) => ({
  volume: Math.round(100 * volume),
  muted,
});

const flowOf = (kind: NonNullable<AudioControlInput['kind']>): AudioEndpoint['flow'] =>
  kind === 'source' || kind === 'recording' ? 'input' : 'output';

/** By its id; without one the default output, or input. */
function findDevice(devices: AudioEndpoint[], { device: id, kind }: AudioControlInput): AudioEndpoint {
  const flow = kind ? flowOf(kind) : id ? null : 'output';
  const found = devices.find(
    (device) => (flow === null || device.flow === flow) && (id ? device.id === id : device.isDefault),
  );
  if (found !== undefined) return found;
  const sentence = id
    ? `There is no output or input ${JSON.stringify(id)}; the module audio lists them`
    : `There is no default ${flow}; connect one, or specify a device`;
  throw new ServiceError('not_found', sentence);
}

function findSession(devices: AudioEndpoint[], number: number, { kind }: AudioControlInput): FoundSession {
  const flow = kind ? flowOf(kind) : null;
  for (const device of devices) {
    const session = device.sessions.find(({ id }) => sessionNumber(id) === number);
    if (session !== undefined && (flow === null || device.flow === flow)) return { device, session };
  }
  throw new ServiceError('not_found', `There is no stream ${number}; the module audio lists them`);
}
