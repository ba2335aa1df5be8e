import { messageOf } from '../../../lib/errors.ts';
import { type DesktopSession, type FoundSession, findForUse, whyNoDesktop } from '../desktop/desktop-session.ts';

/** Uses the first backend that works in this session; otherwise throws what each of them lacks. */
export async function firstBackend<Backend extends { name: string; fits(session: FoundSession): boolean }, T>(
  desktop: DesktopSession,
  backends: readonly Backend[],
  use: (backend: Backend, session: FoundSession) => Promise<T>,
  errorOf: (problems: string) => Error,
): Promise<T> {
  const session = await findForUse(desktop);
  const problems: string[] = [];
  for (const backend of backends) {
    if (!backend.fits(session)) continue;
    try {
      return await use(backend, session);
    } catch (error) {
      problems.push(`${backend.name}: ${messageOf(error)}`);
    }
  }
  if (session.wayland === null && session.x11 === null)
    problems.unshift(whyNoDesktop(session, 'no desktop session of this user is running; log in to one'));
  throw errorOf(problems.join('; '));
}
