import type { ActionContext, ActionResult } from '../../core/action.ts';
import { ServiceError } from '../../lib/errors.ts';
import type { MediaControlInput, MediaControlOutput } from './media.schema.ts';
import type { SayInput } from './play.schema.ts';

/** What a platform implements. */
export interface MediaControl {
  /** null: players can be queried, or a volume can be set. */
  unavailable(): Promise<string | null>;
  control(input: MediaControlInput, context: Pick<ActionContext, 'keep'>): Promise<ActionResult<MediaControlOutput>>;
}

/** What says texts or plays sounds. */
export interface SoundControl<T> {
  /** null: something can do it. */
  unavailable(): Promise<string | null>;
  /** Throws unsupported with the reason. */
  find(): Promise<T>;
}

export interface Voice {
  /** Name of the program. */
  by: string;
  /** Resolves when it was said. */
  say(input: SayInput, signal: AbortSignal): Promise<void>;
}

export interface SoundPlayer {
  by: string;
  /** Resolves at the end. */
  play(order: PlayOrder, signal: AbortSignal): Promise<void>;
}

export interface PlayOrder {
  /** A checked address, or the real path of a file. */
  target: string;
  isFile: boolean;
  volume: number;
  /** Id of an output; null: the usual one. */
  output: string | null;
}

export const soundControl = <T>(find: () => T | null | Promise<T | null>, none: string): SoundControl<T> => ({
  unavailable: async () => ((await find()) === null ? none : null),
  async find() {
    const found = await find();
    if (found === null) throw new ServiceError('unsupported', none);
    return found;
  },
});
