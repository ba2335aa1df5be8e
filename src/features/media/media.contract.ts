import type { ActionContext, ActionResult } from '../../core/action.ts';
import type { MediaControlInput, MediaControlOutput } from './media.schema.ts';
import type { SayInput } from './play.schema.ts';

/** What a platform implements. */
export interface MediaControl {
  /** null: players can be queried, or a volume can be set. */
  unavailable(): Promise<string | null>;
  control(input: MediaControlInput, context: Pick<ActionContext, 'keep'>): Promise<ActionResult<MediaControlOutput>>;
}

/** Says texts aloud. */
export interface SpeechControl {
  /** null: something can speak. */
  unavailable(): Promise<string | null>;
  /** Throws unsupported with the reason. */
  find(): Promise<Voice>;
}

export interface Voice {
  /** Name of the program. */
  by: string;
  /** Resolves when it was said. */
  say(input: SayInput, signal: AbortSignal): Promise<void>;
}

/** Plays sounds. */
export interface PlayControl {
  /** null: something can play. */
  unavailable(): Promise<string | null>;
  /** Throws unsupported with the reason. */
  find(): Promise<SoundPlayer>;
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
