import { defaultSink, fullVolume, type Pulse } from '@hostler/pulseaudio/commands.ts';
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
    await withPulse(host, answerTimeoutMs, (pulse) => pulse.sink(defaultSink));
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

async function change(pulse: Pulse, request: VolumeRequest): Promise<{ description: string; volume: number }> {
  const { description, volume, muted } = await pulse.sink(defaultSink);
  const loudest = Math.max(0, ...volume);
  const percent = Math.round((loudest / fullVolume) * 100);
  if (request.verb === 'MUTE') {
    await pulse.setSinkMuted(defaultSink, !muted);
    return { description, volume: muted ? percent : 0 };
  }
  const wanted = request.verb === 'VOLUME' ? request.amount : step(percent, request);
  await pulse.setSinkVolume(defaultSink, scaled(volume, loudest, (wanted / 100) * fullVolume));
  return { description, volume: muted ? 0 : Math.round(wanted) };
}

/** A step up does not reduce a volume above 100 %. */
function step(percent: number, request: VolumeRequest): number {
  const amount = request.verb === 'VOLUME_STEP' ? request.amount : 0;
  return Math.max(0, Math.min(Math.max(100, percent), percent + amount));
}

/** Preserves the balance between the channels. */
function scaled(volume: number[], loudest: number, wanted: number): number[] {
  return volume.map((channel) => Math.round(loudest === 0 ? wanted : (channel / loudest) * wanted));
}
