import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import { pollChanges } from '../../host/windows/change-poller.ts';
import type { AudioEndpoint, AudioSession } from '../../host/windows/com/coreaudio.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { noAudio } from './audio.empty.ts';
import { explainAudioNulls } from './audio.reasons.ts';
import type { Audio } from './audio.schema.ts';
import { sessionNumber } from './session-number.windows.ts';

/** While there are listeners. */
const pollEveryMs = 1000;

export const audioWindows: CreateSource<Audio, WindowsHost> = (host) => {
  const audio = host.nativeElsewhere('coreaudio');
  return {
    async read(reasons) {
      try {
        const devices = await audio.devices();
        const { kernel32 } = await host.native();
        return describeAudio(devices, kernel32.processImage, reasons);
      } catch (error) {
        reasons.missing(null, `Windows' audio service could not be queried: ${messageOf(error)}`);
        return noAudio;
      }
    },
    watch: (changed) => pollChanges(host.clock, pollEveryMs, audio.devices, changed),
  };
};

export function describeAudio(
  devices: AudioEndpoint[],
  programOf: (process: number) => string | null,
  reasons: Reasons,
): Audio {
  const outputs = devices.filter(({ flow }) => flow === 'output');
  const inputs = devices.filter(({ flow }) => flow === 'input');
  const audio: Audio = {
    server: 'Windows Core Audio',
    default_sink: outputs.find(({ isDefault }) => isDefault)?.id ?? null,
    default_source: inputs.find(({ isDefault }) => isDefault)?.id ?? null,
    sinks: outputs.map(toDevice),
    sources: inputs.map((input) => ({ ...toDevice(input), monitor_of: null })),
    streams: devices.flatMap((device) => device.sessions.map((session) => toStream(session, device, programOf))),
  };
  return explainAudioNulls(audio, why, reasons);
}

function toDevice({ id, name, isDefault, volume, muted, sessions }: AudioEndpoint): Audio['sinks'][number] {
  const state = sessions.some(({ isActive }) => isActive) ? 'running' : 'idle';
  return { id, name, is_default: isDefault, volume: percent(volume), is_muted: muted, state, port: null };
}

function toStream(
  session: AudioSession,
  { id: device, flow }: AudioEndpoint,
  programOf: (process: number) => string | null,
): Audio['streams'][number] {
  const process = session.process === 0 ? null : session.process;
  const program = process === null ? null : programOf(process);
  return {
    id: sessionNumber(session.id),
    kind: flow === 'output' ? 'playback' : 'recording',
    application: session.isSystem ? 'System sounds' : (program?.split('\\').at(-1) ?? null),
    // System sounds have a reference to a translated text.
    title: session.title === '' || session.title.startsWith('@') ? null : session.title,
    process,
    device,
    volume: percent(session.volume),
    is_muted: session.muted,
    is_paused: !session.isActive,
  };
}

const percent = (volume: number) => Math.round(100 * volume);

const why: Record<string, string> = {
  default_sink: 'No output is connected',
  default_source: 'No input is connected',
  'sinks[].port': 'Windows lists every port as a separate output',
  'sources[].port': 'Windows lists every port as a separate input',
  'sources[].monitor_of': 'Windows lists real inputs only',
  'streams[].application': 'The program has ended, or may not be read',
  'streams[].title': 'The program does not report a title',
  'streams[].process': 'It belongs to no process',
};
