import type { AudioRequest } from './audio.request.ts';

export type AudioChange = Extract<AudioRequest, { verb: 'VOLUME' | 'STEP' | 'MUTE' }>;

export interface Loudness {
  /** Percent. */
  volume: number;
  muted: boolean;
}

/** `most`: the limit of the platform, percent. */
export function afterChange(request: AudioChange, { volume: before, muted }: Loudness, most: number): Loudness {
  if (request.verb === 'MUTE') return { volume: before, muted: request.on ?? !muted };
  if (request.verb === 'VOLUME') return { volume: Math.round(request.amount), muted };
  // A step raises the volume to 100 at most, but does not lower one that is already louder.
  const limit = Math.min(most, Math.max(100, before));
  return { volume: Math.round(Math.max(0, Math.min(limit, before + request.amount))), muted };
}

/** Whether an input is heard from now on that was not before; `before` null: there was none. */
export function opensInput(before: Loudness | null, after: Loudness): boolean {
  const isHeard = ({ volume, muted }: Loudness) => !muted && volume > 0;
  return isHeard(after) && (before === null || !isHeard(before));
}

export function audioSentence(
  name: string,
  { volume, is_muted }: { volume: number | null; is_muted: boolean },
): string {
  if (is_muted) return `${name} is muted`;
  return volume === null ? `${name} is not muted` : `The volume of ${name} is ${volume} %`;
}
