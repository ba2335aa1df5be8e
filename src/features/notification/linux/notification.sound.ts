import fs from 'node:fs';
import path from 'node:path';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { type SoundEnvironmentHost, soundEnvironment } from '../../../host/linux/sound/sound-environment.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { Log } from '../../../lib/log.ts';

/** Hints that make the desktop play the sound, and what prevents it. */
export interface SoundPlan {
  hints: Record<string, unknown>;
  play: ((signal: AbortSignal) => Promise<void>) | null;
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
  const play = (signal: AbortSignal) =>
    player(found, volume ?? 1, signal).catch((error: unknown) => {
      if (!signal.aborted) log.warn(`notification: the sound could not be played: ${messageOf(error)}`);
    });
  return { hints: quiet, play, problem: null };
}

type SoundHost = SoundEnvironmentHost & Pick<LinuxHost, 'launch' | 'run'>;

/** File of a sound by its name, such as `message-new-instant`; null: in no theme. All themes fall back to `freedesktop`: https://specifications.freedesktop.org/sound-theme-spec */
function findSound({ environment }: Pick<SoundHost, 'environment'>, name: string): string | null {
  const own = environment.variable('XDG_DATA_HOME') ?? path.join(environment.home, '.local', 'share');
  const shared = environment.variable('XDG_DATA_DIRS') ?? '/usr/local/share:/usr/share';
  const themes = [own, ...shared.split(':')].filter(path.isAbsolute);
  // A specific name falls back to the general one without its last part.
  for (let wanted = name; wanted !== ''; wanted = wanted.slice(0, Math.max(0, wanted.lastIndexOf('-')))) {
    for (const directory of themes) {
      for (const extension of ['oga', 'ogg', 'wav']) {
        const file = path.join(directory, 'sounds', 'freedesktop', 'stereo', `${wanted}.${extension}`);
        if (fs.existsSync(file)) return file;
      }
    }
  }
  return null;
}

/** Longer sounds are cut off. */
const longestMs = 60_000;

/** Players of PipeWire and PulseAudio, and their option for a volume of 0 to 1. */
const players: [string, (volume: number) => string[]][] = [
  // It takes a linear factor, the other one a perceived volume.
  ['pw-play', (volume) => [`--volume=${(volume ** 3).toFixed(4)}`]],
  ['paplay', (volume) => [`--volume=${Math.round(volume * 65_536)}`]],
];

/** null: no player is installed. Decoding would need a library. */
export function soundPlayer(
  host: SoundHost,
): ((file: string, volume: number, signal: AbortSignal) => Promise<void>) | null {
  for (const [name, options] of players) {
    const program = host.launch.find(name);
    if (program !== null) {
      return async (file, volume, signal) => {
        const env = await soundEnvironment(host);
        const ended = await host.run(program, [...options(volume), file], { env, timeoutMs: longestMs, signal });
        if (ended.exitCode !== 0 && !ended.timedOut) throw new Error(`${name} ended with ${ended.exitCode}`);
      };
    }
  }
  return null;
}
