import type { ActionResult } from '../../core/action.ts';
import type { AudioControlInput, AudioControlOutput } from './audio.schema.ts';

export interface AudioControl {
  /** null: a sound server is running. */
  unavailable(): Promise<string | null>;
  /** `mayOpen` is called before an input is heard that was not; it throws if the caller may not do that. */
  control(input: AudioControlInput, mayOpen: () => void): Promise<ActionResult<AudioControlOutput>>;
}
