import { type FoundSession, findForUse, whyNoDesktop } from '../../../host/linux/desktop/desktop-session.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { capitalised } from '../../../lib/capitalised.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { explainFailure, type ScreenPicture, type ScreenRequest } from '../pictures/screen-request.ts';

/** Of one request to a display server. */
export const screenTimeoutMs = 3000;

/** Every failure is a ServiceError. */
export const takeScreenPicture = (
  host: LinuxHost,
  request: ScreenRequest,
  signal?: AbortSignal,
): Promise<ScreenPicture> => explainFailure(() => takeBest(host, request, signal));

async function takeBest(host: LinuxHost, request: ScreenRequest, signal?: AbortSignal): Promise<ScreenPicture> {
  const found = await findForUse(host.session);
  const { wayland, x11 } = found;
  if (wayland !== null) {
    const { takeOnWayland } = await import('./screen-picture.wayland.ts');
    const taken = await takeOnWayland(host, wayland, request);
    if (taken !== null) return taken;
    const { takeByPortal } = await import('./screen-picture.portal.ts');
    return await takeByPortal(host, request, signal);
  }
  if (x11 === null) throw noDesktop(found);
  const { takeOnX11 } = await import('./screen-picture.x11.ts');
  return await takeOnX11(host, x11, request);
}

/** null: available, as far as is known without taking a picture. */
export async function whyNoScreenPicture(host: LinuxHost): Promise<string | null> {
  try {
    const found = await host.session.find();
    const { wayland, x11 } = found;
    if (wayland === null && x11 === null) return noDesktop(found).message;
    if (wayland === null) return null;
    const { copiesOnWayland } = await import('./screen-picture.wayland.ts');
    if (await copiesOnWayland(host, wayland)) return null;
    const { whyNoPortal } = await import('./screen-picture.portal.ts');
    return await whyNoPortal(host);
  } catch (error) {
    return `The desktop could not be queried: ${shownText(messageOf(error), 300)}`;
  }
}

const noDesktop = (found: FoundSession) =>
  new ServiceError(
    'unsupported',
    capitalised(whyNoDesktop(found, 'No desktop of this user is running, so there is no screen to take a picture of')),
  );
