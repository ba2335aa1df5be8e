import type { ActionResult } from '../../core/action.ts';
import type { AudioControlInput, AudioControlOutput } from './audio.schema.ts';

export interface AudioControl {
  /** null: a sound server is running. */
  unavailable(): Promise<string | null>;
  control(input: AudioControlInput): Promise<ActionResult<AudioControlOutput>>;
}
