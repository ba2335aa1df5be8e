import type { ActionContext, ActionResult } from '../../core/action.ts';
import type { KeyboardTextInput, KeyboardTextOutput, KeypressInput, KeypressOutput } from './keyboard.schema.ts';

/** What a platform implements. */
export interface KeyboardControl {
  /** null: keys can be pressed here. Nothing is pressed to find out. */
  unavailable(): Promise<string | null>;
  keypress(input: KeypressInput, context: ActionContext): Promise<ActionResult<KeypressOutput>>;
  text(input: KeyboardTextInput, context: ActionContext): Promise<ActionResult<KeyboardTextOutput>>;
}
