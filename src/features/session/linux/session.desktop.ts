import type { FoundSession } from '../../../host/linux/desktop/desktop-session.ts';
import { type Fact, inherently, mendably, type NoFact } from '../../../host/linux/desktop/found-value.ts';
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

export interface SessionServer {
  read(): Promise<DisplayFacts>;
  /** Calls back on changes, and when the connection ends. */
  follow(changed: () => void, gone: () => void): void;
  close(): void;
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

/** The display server of the session. The connection stays open only while there are listeners. */
export function createSessionDisplay(host: LinuxHost, options: () => Pick<DisplayOptions, 'withheld' | 'idleAfterMs'>) {
  const { session } = host;
  let open: { server: SessionServer; found: FoundSession; idleAfterMs: number } | null = null;
  let following = false;
  let isLost = false;
  let changed = () => {};

  const disconnect = () => {
    open?.server.close();
    open = null;
  };

  const connect = async (found: FoundSession): Promise<SessionServer | null> => {
    const { withheld, idleAfterMs } = options();
    if (open !== null && open.idleAfterMs !== idleAfterMs) disconnect();
    if (open !== null) return open.server;
    const lasting = following;
    const server = await openDisplayServer(host, found, { withheld, idleAfterMs, lasting });
    if (server === null || !lasting || !following || open !== null) return server;
    open = { server, found, idleAfterMs };
    server.follow(
      () => changed(),
      () => {
        if (open?.server === server) open = null;
        isLost = true;
        changed();
      },
    );
    return server;
  };

  return {
    async find(): Promise<FoundSession> {
      // While its server is connected, the session is the same: another one would be announced.
      if (open !== null) return open.found;
      const found = await session.find(isLost);
      isLost = false;
      return found;
    },
    async read(found: FoundSession): Promise<DisplayFacts> {
      let server: SessionServer | null = null;
      try {
        server = await connect(found);
        if (server === null) return nothing(absence(found));
        return await server.read();
      } catch (error) {
        disconnect();
        isLost = true;
        return nothing(mendably(`The display server of the session could not be queried: ${messageOf(error)}`));
      } finally {
        if (server !== open?.server) server?.close();
      }
    },
    watch(listener: () => void): () => void {
      changed = listener;
      following = true;
      const stop = session.watch(() => {
        // Another session may have replaced the one that is followed.
        disconnect();
        listener();
      });
      return () => {
        following = false;
        changed = () => {};
        stop();
        disconnect();
      };
    },
    close: disconnect,
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
