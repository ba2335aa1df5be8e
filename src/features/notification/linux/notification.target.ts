import type { ActionContext } from '../../../core/action.ts';
import { addressToOpen, type OpenTarget, pathToOpen } from '../../../core/files/open-target.ts';
import { openOnDesktop } from '../../../host/linux/desktop/open-target.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { mayLearnOfFiles } from '../notification.resources.ts';
import type { NotificationInput } from '../notification.schema.ts';

type Parts = Pick<ActionContext<LinuxHost>, 'host' | 'settings'>;
type Wanted = Pick<NotificationInput, 'actionUrl' | 'actionPath'>;

/** Throws for what is never opened. A path is checked only at the click if the caller must not learn which files exist. */
export async function opensSomething(wanted: Wanted, parts: Parts & Pick<ActionContext, 'caller'>): Promise<boolean> {
  if (wanted.actionPath && !mayLearnOfFiles(parts.caller)) return true;
  return (await targetOf(wanted, parts)) !== null;
}

/** What a click opens; null: nothing. Throws for what is never opened. */
async function targetOf({ actionUrl, actionPath }: Wanted, { host, settings }: Parts): Promise<OpenTarget | null> {
  if (actionPath) return await pathToOpen(host, settings(), actionPath);
  return actionUrl ? addressToOpen(actionUrl) : null;
}

/** Checked again when clicked: the path may be a program by then. */
export async function openTarget(wanted: Wanted, parts: Parts): Promise<void> {
  const target = await targetOf(wanted, parts);
  if (target !== null) await openOnDesktop(parts.host, target.kind === 'path' ? target.path : target.url);
}
