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
  /** null: keys can be pressed here. The check presses nothing. */
  unavailable(): Promise<string | null>;
  keypress(input: KeypressInput, context: ActionContext): Promise<ActionResult<KeypressOutput>>;
  text(input: KeyboardTextInput, context: ActionContext): Promise<ActionResult<KeyboardTextOutput>>;
  /** Cancels what is being typed or queued. */
  cancel(context: ActionContext): Promise<ActionResult<KeyboardCancelOutput>>;
  /** Releases keys and key codes left by a killed run of the service; null: no desktop is running yet. */
  releaseLeftKeys(): Promise<number | null>;
}
