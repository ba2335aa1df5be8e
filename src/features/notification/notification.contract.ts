import type { ActionContext, ActionResult } from '../../core/action.ts';
import type {
  NotificationCloseInput,
  NotificationCloseOutput,
  NotificationInput,
  NotificationOutput,
} from './notification.schema.ts';

/** What a platform implements. */
export interface Notifier {
  /** null: there is somebody who shows notifications. */
  unavailable(): Promise<string | null>;
  send(input: NotificationInput, context: ActionContext): Promise<ActionResult<NotificationOutput>>;
  close(input: NotificationCloseInput, context: ActionContext): Promise<ActionResult<NotificationCloseOutput>>;
}
