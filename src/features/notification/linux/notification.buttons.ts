import type { ActionContext } from '../../../core/action.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { NotificationInput } from '../notification.schema.ts';
import { openTarget } from './notification.target.ts';

/**
 * The sender's buttons, and the notification itself if a click on it has an effect. They live as long as the notification, so they
 * hold neither the whole input nor the context of the request.
 */
export function createButtons(
  input: Pick<NotificationInput, 'actions' | 'actionUrl' | 'actionPath'>,
  { notify, log, host, settings }: ActionContext<LinuxHost>,
  number: Promise<number>,
  opens: boolean,
) {
  const buttons = (input.actions ?? []).map((action, index) => ({ ...action, key: `button-${index + 1}` }));
  const first = Promise.withResolvers<string | null>();
  const click = { key: 'default', label: 'Open' };
  return {
    list: buttons.length > 0 || opens ? [click, ...buttons] : [],
    /** null: it was closed, and no button can be pressed any more. */
    pressed(key: string | null): void {
      const button = buttons.find((candidate) => candidate.key === key);
      const command = button?.command ?? 'default';
      first.resolve(key === null ? null : command);
      if (key === null) return;
      const { label = null, data = null } = button ?? {};
      void number.then((id) => notify('NOTIFICATION_ACTION', { id, command, label, data }));
      if (button !== undefined || !opens) return;
      openTarget(input, { host, settings }).catch((error) =>
        log.warn(`notification: a click could not be acted on: ${messageOf(error)}`),
      );
    },
    /** Waits no longer than the caller does. */
    async first(withinMs: number, signal: AbortSignal): Promise<string | null> {
      const giveUp = () => first.resolve(null);
      const cancel = host.clock.after(withinMs, giveUp);
      signal.addEventListener('abort', giveUp);
      if (signal.aborted) giveUp();
      return await first.promise.finally(() => {
        signal.removeEventListener('abort', giveUp);
        cancel();
      });
    },
  };
}
