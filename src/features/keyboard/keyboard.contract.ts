import type { ActionContext } from '../../core/action.ts';
import type { KeyboardTextInput, KeypressInput } from './keyboard.schema.ts';

export interface KeyboardControl {
  /** null: keys can be pressed here. The check presses nothing. */
  unavailable(): Promise<string | null>;
  keypress(input: KeypressInput, context: ActionContext): Promise<void>;
  /** Returns the number of characters. */
  text(input: KeyboardTextInput, context: ActionContext): Promise<number>;
  /** Cancels what is being typed or queued; returns how much that was. */
  cancel(why: string, context: ActionContext): number;
  /** Releases keys and key codes left by a killed run of the service; null: no desktop is running yet. */
  releaseLeftKeys(): Promise<number | null>;
}
