import { isSilenced } from './quiet-hours.ts';
import type { WindowsHost } from './windows-host.ts';

interface NoticeLook {
  /** Somebody has to see it: rejects as well where Windows keeps notifications back, because it may not be on the screen then. */
  mustBeSeen?: boolean;
}

/** A balloon beside the clock, which needs nothing to be installed. Rejects with a sentence where there is no desktop. */
export async function showNoticeWindows(
  { native, nativeElsewhere }: Pick<WindowsHost, 'native' | 'nativeElsewhere'>,
  title: string,
  text: string,
  { mustBeSeen = false }: NoticeLook = {},
): Promise<void> {
  if (!(await nativeElsewhere('shell32').balloon(title, text)))
    throw new Error('there is no desktop here that shows notifications');
  if (mustBeSeen && isSilenced(await native()) === true)
    throw new Error('Windows is holding notifications back, so this one may not have been seen');
}
