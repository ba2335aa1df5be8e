import type { Clock } from '../lib/clock.ts';
import { jsonText } from '../lib/json-text.ts';
import type { Reason } from './reasons.ts';

/** One reading of a module. Serialised at most once for all readers. */
export interface Reading {
  /** null: the module does not exist now. */
  payload: unknown;
  reasons: Reason[];
  /** On the monotonic clock. */
  takenAt: number;
  /** Unix milliseconds. */
  at: number;
  readonly text: string;
}

export function createReading(
  payload: unknown,
  reasons: Reason[],
  clock: Clock,
  write: (payload: unknown) => string = jsonText,
): Reading {
  let text: string | null = null;
  return {
    payload,
    reasons,
    takenAt: clock.monotonic(),
    at: clock.now(),
    get text() {
      text ??= write(payload);
      return text;
    },
  };
}
