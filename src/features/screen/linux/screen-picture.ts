import { type FoundSession, findForUse, whyNoDesktop } from '../../../host/linux/desktop/desktop-session.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { capitalised } from '../../../lib/capitalised.ts';
import { messageOf, ServiceError } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import { type ScreenPicture, type ScreenWish, sayingWhyNot } from '../pictures/screen-request.ts';

/** null: this desktop does not let it be done in this way. */
export type TakePicture = (wish: ScreenWish) => Promise<ScreenPicture | null>;

/** For one answer of a display server. */
export const screenTimeoutMs = 3000;

/** Throws a ServiceError with a sentence, whatever goes wrong. */
export const takeScreenPicture = (host: LinuxHost, wish: ScreenWish, signal?: AbortSignal): Promise<ScreenPicture> =>
  sayingWhyNot(() => takeBest(host, wish, signal));

async function takeBest(host: LinuxHost, wish: ScreenWish, signal?: AbortSignal): Promise<ScreenPicture> {
  const found = await findForUse(host.session);
  const { wayland, x11 } = found;
  if (wayland !== null) {
    const { takeOnWayland } = await import('./screen-picture.wayland.ts');
    const taken = await takeOnWayland(host, wayland, wish);
    if (taken !== null) return taken;
    const { takeByPortal } = await import('./screen-picture.portal.ts');
    return await takeByPortal(host, wish, signal);
  }
  if (x11 === null) throw noDesktop(found);
  const { takeOnX11 } = await import('./screen-picture.x11.ts');
  return await takeOnX11(host, x11, wish);
}

/** null: it would be taken, as far as can be told without taking one. */
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
    return `The desktop could not be asked: ${shownText(messageOf(error), 300)}`;
  }
}

const noDesktop = (found: FoundSession) =>
  new ServiceError(
    'unsupported',
    capitalised(whyNoDesktop(found, 'No desktop of this user is running, so there is no screen to take a picture of')),
  );
