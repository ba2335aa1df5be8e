import type { ActionContext, ActionResult } from '../../core/action.ts';
import type { NotificationCloseInput, NotificationInput, NotificationOutput } from './notification.schema.ts';

export interface Notifier {
  /** null: notifications can be shown. */
  unavailable(): Promise<string | null>;
  send(input: NotificationInput, context: ActionContext): Promise<ActionResult<NotificationOutput>>;
  close(input: NotificationCloseInput, context: ActionContext): Promise<void>;
}
