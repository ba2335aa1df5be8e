import type { PulseDevice, PulseStream } from '@hostler/pulseaudio/audio.ts';
import type { PulseClient } from '@hostler/pulseaudio/entries.ts';
import type { Reasons } from '../../../core/reasons.ts';
import type { Files } from '../../../host/linux/files.ts';
import { isAccessDenied, NoPulseServer, type PulseHost } from '../../../host/linux/sound/pulse.ts';
import { createAbsence, unlessAbsent } from '../../../lib/absence-cache.ts';
import { messageOf } from '../../../lib/errors.ts';
import { processName } from './open-files.ts';
import { createPulseCache } from './pulse-cache.ts';

const timeoutMs = 1000;

export function createMicrophoneUsage(host: PulseHost) {
  const server = createPulseCache(host, timeoutMs, recorders);
  const noServer = createAbsence<NoPulseServer>(host.clock);
  const owners = unlessAbsent(host.clock, () => captureOwners(host.files));

  const withoutServer = (error: unknown, reasons: Reasons): string[] => {
    if (!(error instanceof NoPulseServer)) reasons.missing('microphone_usage', refusal(error));
    const recording = owners();
    if (recording !== null) return unique(recording.map((pid) => processName(host.files, pid)));
    if (error instanceof NoPulseServer) {
      reasons.inherent('microphone_usage', 'Neither a sound card nor a sound server can be reached from this session');
    }
    return [];
  };

  const ask = async (reasons: Reasons): Promise<string[]> => {
    const noteAbsence = noServer.look();
    try {
      return await server.read();
    } catch (error) {
      if (error instanceof NoPulseServer) noteAbsence(error);
      return withoutServer(error, reasons);
    }
  };

  return {
    /** Names of the programs that record from a microphone, from the sound server or, without one, from the sound cards. */
    read(reasons: Reasons): string[] | Promise<string[]> {
      const absent = noServer.known();
      return absent === null ? ask(reasons) : withoutServer(absent, reasons);
    },
    close: server.close,
  };
}

function refusal(error: unknown): string {
  if (isAccessDenied(error)) {
    return 'The sound server denied access; run the service as the desktop user, or set PULSE_COOKIE';
  }
  return `The sound server could not be queried for recording programs: ${messageOf(error)}; restart it, or set PULSE_SERVER to its address`;
}

type Recording = Pick<PulseStream, 'name' | 'client' | 'device' | 'properties' | 'corked'>;

/** The part of `PulseAudio` that names who records. */
export interface RecordingServer {
  recording(): Promise<Recording[]>;
  sources(): Promise<Pick<PulseDevice, 'index' | 'monitorOf'>[]>;
  clients(): Promise<PulseClient[]>;
}

/** Level meters record as well, but store nothing. The id is their own claim: PipeWire does not report which streams get peaks only. */
const meters = new Set(['org.PulseAudio.pavucontrol', 'org.gnome.VolumeControl']);

/** Names of the recording programs. */
export async function recorders(pulse: RecordingServer): Promise<string[]> {
  const [outputs, sources, clients] = await Promise.all([pulse.recording(), pulse.sources(), pulse.clients()]);
  // A monitor repeats the output: recording it is not recording the room.
  const monitors = new Set(sources.filter(({ monitorOf }) => monitorOf !== null).map(({ index }) => index));
  // Filters of the server, which have no client, forward to the programs that record from them.
  const isFilter = ({ client, properties }: Recording) => client === null && properties.get('media.role') === 'filter';
  const listens = (output: Recording) =>
    !isFilter(output) && !meters.has(output.properties.get('application.id') ?? '');
  const recording = outputs.filter((output) => !output.corked && !monitors.has(output.device) && listens(output));
  return unique(
    recording.map(({ name, client, properties }) => {
      const owner = clients.find(({ index }) => index === client);
      return (
        properties.get('application.name') ||
        properties.get('application.process.binary') ||
        owner?.properties.get('application.name') ||
        owner?.name ||
        name ||
        'unknown program'
      );
    }),
  );
}

const unique = (names: string[]) => [...new Set(names)].sort();

/** Processes that are recording from a sound card. null: ALSA is missing. */
function captureOwners(files: Files): number[] | null {
  if (!files.exists('/proc/asound')) return null;
  const below = (place: string, name: RegExp) =>
    files.list(place).flatMap((each) => (name.test(each) ? [`${place}/${each}`] : []));
  const streams = below('/proc/asound', /^card\d+$/).flatMap((card) => below(card, /^pcm\d+c$/));
  const parts = streams.flatMap((stream) => below(stream, /^sub\d+$/));
  return [...new Set(parts.flatMap((part) => parseOwner(files.text(`${part}/status`) ?? '') ?? []))];
}

/** `closed`, or lines such as `state: RUNNING` and `owner_pid   : 1234`. */
export function parseOwner(status: string): number | null {
  if (!/^state:\s*RUNNING/m.test(status)) return null;
  const owner = Number(/^owner_pid\s*:\s*(\d+)/m.exec(status)?.[1] ?? 0);
  return owner > 0 ? owner : null;
}
