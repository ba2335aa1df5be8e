import type { ActionResult } from '../../core/action.ts';
import type { AudioControlInput, AudioControlOutput } from './audio.schema.ts';

/** What a platform implements. */
export interface AudioControl {
  /** null: there is a sound server. */
  unavailable(): Promise<string | null>;
  control(input: AudioControlInput): Promise<ActionResult<AudioControlOutput>>;
}
