import { ServiceError } from '../../lib/errors.ts';
import type { AudioControlInput } from './audio.schema.ts';

/** A validated request. Amounts are percent. */
export type AudioRequest =
  | { verb: 'VOLUME' | 'STEP'; amount: number }
  | { verb: 'MUTE'; on: boolean | null }
  | { verb: 'DEFAULT' }
  | { verb: 'MOVE' };

type Value = AudioControlInput['value'];

/** The limit of sound servers' own controls, percent. */
export const loudest = 150;
const usualStep = 5;

const readers: Record<string, (value: Value, action: string) => AudioRequest> = {
  VOLUME: (value, action) => ({ verb: 'VOLUME', amount: number(value, action, loudest) }),
  VOLUME_UP: (value, action) => ({ verb: 'STEP', amount: number(value ?? usualStep, action, 100) }),
  VOLUME_DOWN: (value, action) => ({ verb: 'STEP', amount: -number(value ?? usualStep, action, 100) }),
  MUTE: (value, action) => ({ verb: 'MUTE', on: flag(value, action) }),
  DEFAULT: () => ({ verb: 'DEFAULT' }),
  MOVE: () => ({ verb: 'MOVE' }),
};

export function readAudioRequest({ action, value }: Pick<AudioControlInput, 'action' | 'value'>): {
  name: string;
  request: AudioRequest;
} {
  const name = action.toUpperCase();
  const read = Object.hasOwn(readers, name) ? readers[name] : undefined;
  if (read !== undefined) return { name, request: read(value, name) };
  const known = Object.keys(readers).join(', ');
  throw audioRefusal('INVALID_ACTION', `There is no audio action ${JSON.stringify(action)}; available: ${known}`);
}

function number(value: Value, action: string, most: number): number {
  if (value === null || value === undefined)
    throw audioRefusal('MISSING_VALUE', `${action} needs a value, which is a number`);
  if (typeof value === 'number' && value >= 0 && value <= most) return value;
  throw audioRefusal(null, `${action} accepts a number from 0 to ${most}, not ${JSON.stringify(value)}`);
}

function flag(value: Value, action: string): boolean | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'boolean') return value;
  throw audioRefusal(null, `${action} accepts true, false or no value, not ${JSON.stringify(value)}`);
}

export function audioRefusal(subtype: string | null, sentence: string): ServiceError {
  return new ServiceError('invalid', `audio.control: ${sentence}`, { subtype });
}
