import type { ActionContext } from '../../core/action.ts';
import type { PointerTarget } from './pointer.position.ts';
import type { PointerClickInput, PointerClickOutput, PointerMoveInput, PointerScrollOutput } from './pointer.schema.ts';

export interface PointerControl {
  /** null: the pointer can be moved here. The check moves nothing. */
  unavailable(): Promise<string | null>;
  /** Returns where it is now; null: it was moved by a distance. */
  move(input: PointerMoveInput, context: ActionContext): Promise<PointerTarget | null>;
  click(input: PointerClickInput & PointerClickOutput, context: ActionContext): Promise<void>;
  scroll(steps: PointerScrollOutput, context: ActionContext): Promise<void>;
}
