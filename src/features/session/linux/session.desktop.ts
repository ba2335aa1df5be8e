import type { FoundSession } from '../../../host/linux/desktop/desktop-session.ts';
import { type Fact, inherently, mendably, type NoFact } from '../../../host/linux/desktop/found-value.ts';
import { createServerLink, type LinkedServer } from '../../../host/linux/desktop/server-link.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { capitalised } from '../../../lib/capitalised.ts';
import { messageOf } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { ActiveWindow, UserSession } from '../session.schema.ts';

export interface DisplayFacts {
  /** `since`: last input, Unix milliseconds. */
  idle: Fact<{ since: number } | false>;
  /** null: no window has the focus. */
  window: Fact<ActiveWindow | null>;
  desktop: Fact<NonNullable<UserSession['virtual_desktop']>>;
}

export interface SessionServer extends LinkedServer {
  read(): Promise<DisplayFacts>;
}

export interface DisplayOptions {
  /** The active window is not read, because no caller may see it. */
  withheld: boolean;
  idleAfterMs: number;
  /** The connection stays open to follow changes. */
  lasting: boolean;
}

/** After this time without an answer the connection fails, ms. */
export const displayTimeoutMs = 1000;
const mostCharacters = 256;

export const toWindow = (window: Omit<ActiveWindow, 'app'> & { app: string }): ActiveWindow => ({
  ...window,
  title: shownText(window.title, mostCharacters),
  app: window.app === '' ? null : shownText(window.app, mostCharacters),
});

const withheldWindow: Fact<null> = inherently('not read');
export const unlessWithheld = (withheld: boolean, window: Fact<ActiveWindow | null>) =>
  withheld ? withheldWindow : window;

export function createSessionDisplay(host: LinuxHost, options: () => Pick<DisplayOptions, 'withheld' | 'idleAfterMs'>) {
  /** Of the connection. */
  let idleAfterMs = 0;
  const link = createServerLink(host.session, (found, lasting) => {
    ({ idleAfterMs } = options());
    return openDisplayServer(host, found, { ...options(), lasting });
  });
  return {
    find: link.find,
    async read(found: FoundSession): Promise<DisplayFacts> {
      if (options().idleAfterMs !== idleAfterMs) link.disconnect();
      try {
        return await link.use(found, async (server) => (server === null ? nothing(absence(found)) : server.read()));
      } catch (error) {
        return nothing(mendably(`The display server of the session could not be queried: ${messageOf(error)}`));
      }
    },
    watch: link.watch,
    close: link.disconnect,
  };
}

function absence({ refused = [] }: FoundSession) {
  return refused.length === 0 ? inherently('No desktop is running') : mendably(capitalised(refused.join('; ')));
}

/** An X server beside Wayland serves X11 programs only, and does not know the others. */
async function openDisplayServer(host: LinuxHost, { wayland, x11 }: FoundSession, options: DisplayOptions) {
  if (wayland !== null) return (await import('./session.wayland.ts')).openWaylandSession(host, wayland, options);
  return x11 === null ? null : (await import('./session.x11.ts')).openX11Session(host, x11, options);
}

const nothing = (why: NoFact): DisplayFacts => ({ idle: why, window: why, desktop: why });
