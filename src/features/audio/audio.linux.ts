import {
  audioOver,
  type PulseAudio,
  type PulseDevice,
  type PulseServer,
  type PulseStream,
  subscribe,
} from '@hostler/pulseaudio/audio.ts';
import { percentOf } from '@hostler/pulseaudio/volume.ts';
import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { isAccessDenied, NoPulseServer } from '../../host/linux/sound/pulse.ts';
import { createAbsence } from '../../lib/absence-cache.ts';
import { messageOf } from '../../lib/errors.ts';
import { noAudio } from './audio.empty.ts';
import { explainAudioNulls } from './audio.reasons.ts';
import type { Audio } from './audio.schema.ts';
import { createFollowedPulse } from './pulse-subscription.linux.ts';

/** For the connection and for the read; together less than the time limit of a read. */
const timeoutMs = 4000;

/** PipeWire or PulseAudio, over their common protocol. */
export const audioLinux: CreateSource<Audio, LinuxHost> = (host) => {
  const pulse = createFollowedPulse(host, timeoutMs, (connection) => subscribe(connection, 'all'));
  /** `hasCards`: the machine has a sound card. */
  const noServer = createAbsence<{ error: NoPulseServer; hasCards: boolean }>(host.clock);

  const without = (error: unknown, hasCards: boolean, reasons: Reasons): Audio => {
    explain(error, hasCards, reasons);
    return noAudio;
  };

  const ask = async (reasons: Reasons): Promise<Audio> => {
    const noteAbsence = noServer.look();
    try {
      return explainAudioNulls(await pulse.use((connection) => readAudio(audioOver(connection))), why, reasons);
    } catch (error) {
      const hasCards = host.files.exists('/proc/asound/card0');
      if (error instanceof NoPulseServer) noteAbsence({ error, hasCards });
      return without(error, hasCards, reasons);
    }
  };

  return {
    read(reasons) {
      const absent = noServer.known();
      return absent === null ? ask(reasons) : without(absent.error, absent.hasCards, reasons);
    },
    watch(changed) {
      noServer.forget();
      return pulse.follow(() => {
        noServer.forget();
        changed();
      });
    },
  };
};

type AudioServer = Pick<PulseAudio, 'server' | 'sinks' | 'sources' | 'streams'>;

export async function readAudio(audio: AudioServer): Promise<Audio> {
  const [server, sinks, sources, streams] = await Promise.all([
    audio.server(),
    audio.sinks(),
    audio.sources(),
    audio.streams(),
  ]);
  const known = (devices: PulseDevice[], name: string | null) => devices.find((device) => device.name === name)?.name;
  const defaults = [known(sinks, server.defaultSink) ?? null, known(sources, server.defaultSource) ?? null] as const;
  return {
    server: nameOf(server),
    default_sink: defaults[0],
    default_source: defaults[1],
    sinks: sinks.map((sink) => toDevice(sink, defaults[0])),
    sources: sources.map((source) => ({ ...toDevice(source, defaults[1]), monitor_of: source.monitorOf })),
    streams: streams.map((stream) => toStream(stream, stream.kind === 'sink' ? sinks : sources)),
  };
}

function nameOf({ name, version }: PulseServer): string | null {
  return [name, version].filter((part) => part !== null && part !== '').join(' ') || null;
}

function toDevice({ name, description, volume, muted, state, port }: PulseDevice, chosen: string | null) {
  const is_default = name === chosen;
  return { id: name, name: description, is_default, volume: percentOf(volume), is_muted: muted, state, port };
}

function toStream(stream: PulseStream, devices: PulseDevice[]): Audio['streams'][number] {
  const { properties, volume } = stream;
  const process = Number(properties.get('application.process.id') ?? Number.NaN);
  return {
    id: stream.index,
    kind: stream.kind === 'sink' ? 'playback' : 'recording',
    application: properties.get('application.name') ?? properties.get('application.process.binary') ?? null,
    title: properties.get('media.name') ?? stream.name,
    process: Number.isSafeInteger(process) ? process : null,
    device: devices.find(({ index }) => index === stream.device)?.name ?? null,
    volume: volume === null ? null : percentOf(volume),
    is_muted: stream.muted,
    is_paused: stream.corked,
  };
}

const why: Record<string, string> = {
  server: 'The sound server does not report its name',
  default_sink: 'No default output is set; there may be no output at all',
  default_source: 'No default input is set; there may be no input at all',
  'sinks[].state': 'The sound server does not report it',
  'sinks[].port': 'The output has no ports to choose from',
  'sources[].state': 'The sound server does not report it',
  'sources[].port': 'The input has no ports to choose from',
  'sources[].monitor_of': 'It is a real input, not the monitor of an output',
  'streams[].application': 'The program does not report its name to the sound server',
  'streams[].title': 'The program does not report a title',
  'streams[].process': 'The program does not report its process ID, which is usual in a container',
  'streams[].device': 'The stream is waiting for a device',
  'streams[].volume': 'The stream has no volume of its own',
};

function explain(error: unknown, hasCards: boolean, reasons: Reasons): void {
  if (error instanceof NoPulseServer && !hasCards) {
    return reasons.inherent(null, 'There is no sound card, and no sound server is running');
  }
  if (error instanceof NoPulseServer) {
    return reasons.missing(null, 'No sound server is running; start PipeWire with pipewire-pulse, or PulseAudio');
  }
  if (isAccessDenied(error)) {
    return reasons.missing(null, 'The sound server denied access; run Hostler as the user who owns the session');
  }
  reasons.missing(null, `The sound server could not be queried: ${messageOf(error)}`);
}
