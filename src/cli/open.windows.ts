import type { WindowsHost } from '../host/windows/windows-host.ts';

/** Opens a page of ours in the browser of the user. */
export async function openPage(host: Pick<WindowsHost, 'native'>, file: string): Promise<void> {
  const { shell32 } = await host.native();
  const outcome = shell32.open(file);
  if (outcome > 32) return;
  // SE_ERR_NOASSOC.
  throw new Error(outcome === 31 ? 'no browser is installed' : `Windows answers with error ${outcome}`);
}
