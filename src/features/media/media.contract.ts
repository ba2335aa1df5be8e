import type { ActionContext, ActionResult } from '../../core/action.ts';
import type { MediaControlInput, MediaControlOutput } from './media.schema.ts';

/** What a platform implements. */
export interface MediaControl {
  /** null: players can be queried, or a volume can be set. */
  unavailable(): Promise<string | null>;
  control(input: MediaControlInput, context: Pick<ActionContext, 'keep'>): Promise<ActionResult<MediaControlOutput>>;
}
