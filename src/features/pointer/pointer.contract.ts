import type { ActionContext, ActionResult } from '../../core/action.ts';
import type {
  PointerClickInput,
  PointerClickOutput,
  PointerMoveInput,
  PointerMoveOutput,
  PointerScrollInput,
  PointerScrollOutput,
} from './pointer.schema.ts';

/** What a platform implements. */
export interface PointerControl {
  /** null: the pointer can be moved here. The check moves nothing. */
  unavailable(): Promise<string | null>;
  move(input: PointerMoveInput, context: ActionContext): Promise<ActionResult<PointerMoveOutput>>;
  click(input: PointerClickInput, context: ActionContext): Promise<ActionResult<PointerClickOutput>>;
  scroll(input: PointerScrollInput, context: ActionContext): Promise<ActionResult<PointerScrollOutput>>;
}
