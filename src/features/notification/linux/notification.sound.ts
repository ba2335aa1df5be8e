import { messageOf } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';
import { findSound, type SoundHost, soundPlayer } from './sound-theme.ts';

/** What the notification needs so that its sound is heard, and what keeps it from being so. */
export interface SoundPlan {
  hints: Record<string, unknown>;
  /** Called when it is on the screen. */
  play: (() => Promise<void>) | null;
  problem: string | null;
}

export interface WantedSound {
  name: string | null;
  file: string | null;
  /** 0-1; null: as loud as it is. */
  volume: number | null;
}

export const noSound: SoundPlan = { hints: {}, play: null, problem: null };

/** The desktop plays it where it says that it can; no desktop knows of volumes. */
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
    player(found, volume ?? 1).catch((error: unknown) => log.warn(`notification: no sound: ${messageOf(error)}`));
  return { hints: quiet, play, problem: null };
}
