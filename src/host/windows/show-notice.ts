import type { WindowsHost } from './windows-host.ts';

/** A balloon beside the clock, which needs nothing to be installed. Rejects with a sentence where there is no desktop. */
export async function showNoticeWindows(
  { nativeElsewhere }: Pick<WindowsHost, 'nativeElsewhere'>,
  title: string,
  text: string,
): Promise<void> {
  if (!(await nativeElsewhere('shell32').balloon(title, text)))
    throw new Error('there is no desktop here that shows notifications');
}
