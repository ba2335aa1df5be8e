import { isSilenced } from './quiet-hours.ts';
import type { WindowsHost } from './windows-host.ts';

interface NoticeOptions {
  /** The user must see it: also rejects while Windows suppresses notifications, since it may not be visible. */
  mustBeSeen?: boolean;
}

/** A balloon, which needs no installation. Rejects with a sentence where there is no desktop. */
export async function showNoticeWindows(
  { native, nativeElsewhere }: Pick<WindowsHost, 'native' | 'nativeElsewhere'>,
  title: string,
  text: string,
  { mustBeSeen = false }: NoticeOptions = {},
): Promise<void> {
  if (!(await nativeElsewhere('shell32').balloon(title, text)))
    throw new Error('there is no desktop here that shows notifications');
  if (mustBeSeen && isSilenced(await native()) === true)
    throw new Error('Windows is holding notifications back, so this one may not have been seen');
}
