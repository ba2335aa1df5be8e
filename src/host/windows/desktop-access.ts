import { ServiceError } from '../../lib/errors.ts';
import { inputDesktopLibrary } from './native/input-desktop.ts';
import type { WindowsHost } from './windows-host.ts';

type DesktopHost = Pick<WindowsHost, 'native'>;

/** Why this process cannot use the desktop of the signed-in user now; null: it can. */
export async function whyNoInputDesktop(host: DesktopHost): Promise<string | null> {
  const { sight } = await host.native(inputDesktopLibrary);
  const seen = sight();
  if (seen === 'service')
    return 'Hostler runs as a service here, which has no desktop; start it in the session of the user at the screen';
  if (seen === 'covered' || (await host.native()).wtsapi32.isLocked() === true)
    return 'The screen is locked, or Windows is asking an administrator for permission; try again afterwards';
  return null;
}

/** Refuses before anything reaches a desktop that the user does not see. */
export async function requireDesktop(host: DesktopHost): Promise<void> {
  const why = await whyNoInputDesktop(host);
  if (why !== null) throw new ServiceError('unsupported', why);
}
