import { messageOf } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { findSound, type SoundHost, soundPlayer } from './sound-theme.ts';

/** Hints that make the desktop play the sound, and what prevents it. */
export interface SoundPlan {
  hints: Record<string, unknown>;
  /** Called once it is shown. */
  play: (() => Promise<void>) | null;
  problem: string | null;
}

export interface WantedSound {
  name: string | null;
  file: string | null;
  /** 0-1; null: unchanged. */
  volume: number | null;
}

export const noSound: SoundPlan = { hints: {}, play: null, problem: null };

/** The desktop plays it if it has that capability; no desktop supports a volume. */
export function planSound(host: SoundHost, log: Log, can: Set<string>, wanted: WantedSound): SoundPlan {
  const { name, file, volume } = wanted;
  if (can.has('sound') && volume === null) {
    return { ...noSound, hints: name === null ? { 'sound-file': file ?? '' } : { 'sound-name': name } };
  }
  const quiet = can.has('sound') ? { 'suppress-sound': true } : {};
  const found = file ?? findSound(host, name ?? '');
  if (found === null) return { hints: quiet, play: null, problem: `no sound theme has ${JSON.stringify(name)}` };
  const player = soundPlayer(host);
  if (player === null) {
    return {
      hints: quiet,
      play: null,
      problem: 'there is no pw-play or paplay; install pipewire-bin or pulseaudio-utils',
    };
  }
  const play = () =>
    player(found, volume ?? 1).catch((error: unknown) =>
      log.warn(`notification: the sound could not be played: ${messageOf(error)}`),
    );
  return { hints: quiet, play, problem: null };
}
