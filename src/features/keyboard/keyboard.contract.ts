import type { ActionContext, ActionResult } from '../../core/action.ts';
import type {
  KeyboardCancelOutput,
  KeyboardTextInput,
  KeyboardTextOutput,
  KeypressInput,
  KeypressOutput,
} from './keyboard.schema.ts';

/** What a platform implements. */
export interface KeyboardControl {
  /** null: keys can be pressed here. Nothing is pressed to find out. */
  unavailable(): Promise<string | null>;
  keypress(input: KeypressInput, context: ActionContext): Promise<ActionResult<KeypressOutput>>;
  text(input: KeyboardTextInput, context: ActionContext): Promise<ActionResult<KeyboardTextOutput>>;
  /** Ends whatever is being typed or waits for it. */
  cancel(context: ActionContext): Promise<ActionResult<KeyboardCancelOutput>>;
  /** Puts right what a run of the service that was killed held down or borrowed; null: there is no desktop to do it on yet. */
  releaseLeftKeys(): Promise<number | null>;
}
