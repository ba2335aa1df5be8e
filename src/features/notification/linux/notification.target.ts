import type { ActionContext } from '../../../core/action.ts';
import { addressToOpen, type OpenTarget, pathToOpen } from '../../../core/files/open-target.ts';
import { openOnDesktop } from '../../../host/linux/desktop/open-target.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { NotificationInput } from '../notification.schema.ts';

type Parts = Pick<ActionContext<LinuxHost>, 'host' | 'settings'>;
type Wanted = Pick<NotificationInput, 'actionUrl' | 'actionPath'>;

/** The target of a click; null: none. Throws for targets that are never opened. */
export async function targetOf(
  { actionUrl, actionPath }: Wanted,
  { host, settings }: Parts,
): Promise<OpenTarget | null> {
  if (actionPath) return await pathToOpen(host, settings(), actionPath);
  return actionUrl ? addressToOpen(actionUrl) : null;
}

/** Checked again when clicked: the path may be a program by then. */
export async function openTarget(wanted: Wanted, parts: Parts): Promise<void> {
  const target = await targetOf(wanted, parts);
  if (target !== null) await openOnDesktop(parts.host, target.kind === 'path' ? target.path : target.url);
}
