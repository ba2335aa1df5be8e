import { ServiceError } from '../../lib/errors.ts';
import type { MediaControlInput } from './media.schema.ts';

/** A validated request. Amounts are seconds or percent. */
export type MediaRequest = PlayerRequest | VolumeRequest;

export type PlayerRequest =
  | { verb: 'PLAY' | 'PAUSE' | 'PLAY_PAUSE' | 'STOP' | 'NEXT' | 'PREVIOUS' }
  | { verb: 'SEEK' | 'POSITION'; amount: number }
  | { verb: 'SHUFFLE'; on: boolean }
  | { verb: 'REPEAT'; mode: Repeat };

export type VolumeRequest = { verb: 'MUTE' } | { verb: 'VOLUME' | 'VOLUME_STEP'; amount: number };

export function isVolume(request: MediaRequest): request is VolumeRequest {
  return request.verb === 'VOLUME' || request.verb === 'VOLUME_STEP' || request.verb === 'MUTE';
}

export type Repeat = 'NONE' | 'TRACK' | 'LIST';

type Value = MediaControlInput['value'];

const skipSeconds = 10;
const volumeStep = 5;
/** Longer than any track, and within 64 bits as microseconds. */
const longestSeconds = 1_000_000_000;

const plain = ['PLAY', 'PAUSE', 'PLAY_PAUSE', 'STOP', 'NEXT', 'PREVIOUS', 'MUTE'] as const;

const readers: Record<string, (value: Value, action: string) => MediaRequest> = {
  ...Object.fromEntries(plain.map((verb) => [verb, () => ({ verb })])),
  SEEK: (value, action) => ({ verb: 'SEEK', amount: number(value, action, -longestSeconds, longestSeconds) }),
  POSITION: (value, action) => ({ verb: 'POSITION', amount: number(value, action, 0, longestSeconds) }),
  REWIND: (value, action) => ({ verb: 'SEEK', amount: -number(value ?? skipSeconds, action, 0, longestSeconds) }),
  FASTFORWARD: (value, action) => ({ verb: 'SEEK', amount: number(value ?? skipSeconds, action, 0, longestSeconds) }),
  VOLUME: (value, action) => ({ verb: 'VOLUME', amount: number(value, action, 0, 100) }),
  VOLUME_UP: (value, action) => ({ verb: 'VOLUME_STEP', amount: number(value ?? volumeStep, action, 0, 100) }),
  VOLUME_DOWN: (value, action) => ({ verb: 'VOLUME_STEP', amount: -number(value ?? volumeStep, action, 0, 100) }),
  SHUFFLE: (value, action) => ({ verb: 'SHUFFLE', on: flag(value, action) }),
  REPEAT: (value, action) => ({ verb: 'REPEAT', mode: repeat(value, action) }),
};

/** Aliases that clients send. */
const aliases: Record<string, string> = {
  VOLUMEUP: 'VOLUME_UP',
  VOLUMEDOWN: 'VOLUME_DOWN',
  PLAYPAUSE: 'PLAY_PAUSE',
  FAST_FORWARD: 'FASTFORWARD',
};

/** `name`: the canonical name of the action. */
export function readMediaRequest({ action, value }: Pick<MediaControlInput, 'action' | 'value'>): {
  name: string;
  request: MediaRequest;
} {
  const upper = action.toUpperCase();
  const name = aliases[upper] ?? upper;
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (read !== undefined) return { name, request: read(value, name) };
  const known = Object.keys(readers).join(', ');
  throw refusal('INVALID_ACTION', `There is no media action ${JSON.stringify(action)}; available: ${known}`);
}

function number(value: Value, action: string, least: number, most: number): number {
  if (value === null || value === undefined) throw missing(action, 'a number');
  const amount = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof amount === 'number' && amount >= least && amount <= most) return amount;
  throw refusal(null, `${action} accepts a number from ${least} to ${most}, not ${JSON.stringify(value)}`);
}

function flag(value: Value, action: string): boolean {
  if (value === null || value === undefined) throw missing(action, 'true or false');
  if (typeof value === 'boolean') return value;
  const known: Record<string, boolean> = { true: true, false: false, 1: true, 0: false };
  const on = known[String(value).toLowerCase()];
  if (on !== undefined) return on;
  throw refusal(null, `${action} accepts true or false, not ${JSON.stringify(value)}`);
}

const repeats: Record<string, Repeat> = {
  0: 'NONE',
  1: 'TRACK',
  2: 'LIST',
  NONE: 'NONE',
  TRACK: 'TRACK',
  LIST: 'LIST',
};

function repeat(value: Value, action: string): Repeat {
  if (value === null || value === undefined) throw missing(action, '0 (off), 1 (one title) or 2 (all)');
  const mode = Object.hasOwn(repeats, String(value).toUpperCase()) ? repeats[String(value).toUpperCase()] : undefined;
  if (mode !== undefined) return mode;
  throw refusal(null, `${action} takes 0 (off), 1 (one title) or 2 (all), not ${JSON.stringify(value)}`);
}

/** By one of its names, in any case. */
export function playerNamed<P>(
  players: readonly P[],
  wanted: string,
  namesOf: (player: P) => readonly [key: string, ...others: string[]],
  action: string,
): P {
  const key = wanted.toLowerCase();
  const found = players.find((player) => namesOf(player).some((name) => name.toLowerCase() === key));
  if (found !== undefined) return found;
  const known =
    players.length === 0 ? 'none is running' : `available: ${players.map((player) => namesOf(player)[0]).join(', ')}`;
  throw new ServiceError('not_found', `There is no media player ${JSON.stringify(wanted)} to ${action}; ${known}`);
}

const missing = (action: string, needed: string) => refusal('MISSING_VALUE', `${action} needs a value: ${needed}`);

function refusal(subtype: string | null, sentence: string): ServiceError {
  return new ServiceError('invalid', `media.control: ${sentence}`, { subtype });
}
