import type { PulseAudio } from '@hostler/pulseaudio/audio.ts';
import { percentOf, scaledTo } from '@hostler/pulseaudio/volume.ts';
import { NoPulseServer, type PulseHost, withPulse } from '../../../host/linux/sound/pulse.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import type { VolumeRequest } from '../media.request.ts';

const answerTimeoutMs = 2000;

/** The default output. `volume` is 0-100, and 0 while muted. */
export async function setSystemVolume(
  host: PulseHost,
  request: VolumeRequest,
): Promise<{ description: string; volume: number }> {
  try {
    return await withPulse(host, answerTimeoutMs, (pulse) => change(pulse, request));
  } catch (error) {
    throw new ServiceError(error instanceof NoPulseServer ? 'unsupported' : 'failed', problem(error), { cause: error });
  }
}

/** null: a sound server is running. */
export async function systemSound(host: PulseHost): Promise<string | null> {
  try {
    await withPulse(host, answerTimeoutMs, (pulse) => pulse.defaultSink());
    return null;
  } catch (error) {
    return problem(error);
  }
}

function problem(error: unknown): string {
  if (error instanceof NoPulseServer) {
    return 'No player has a volume, and no sound server is running: start PipeWire with pipewire-pulse, or PulseAudio';
  }
  return `The sound server cannot set the volume: ${messageOf(error)}`;
}

async function change(pulse: PulseAudio, request: VolumeRequest): Promise<{ description: string; volume: number }> {
  const { index, description, volume, muted } = await pulse.defaultSink();
  const percent = percentOf(volume);
  if (request.verb === 'MUTE') {
    await pulse.setDeviceMuted('sink', index, !muted);
    return { description, volume: muted ? percent : 0 };
  }
  const wanted = request.verb === 'VOLUME' ? request.amount : step(percent, request);
  await pulse.setDeviceVolume('sink', index, scaledTo(volume, wanted));
  return { description, volume: muted ? 0 : Math.round(wanted) };
}

/** A step up does not reduce a volume above 100 %. */
function step(percent: number, request: VolumeRequest): number {
  const amount = request.verb === 'VOLUME_STEP' ? request.amount : 0;
  return Math.max(0, Math.min(Math.max(100, percent), percent + amount));
}
