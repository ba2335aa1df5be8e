import type { FoundSession } from '../../../host/linux/desktop/desktop-session.ts';
import { type Fact, inherently, mendably, type NoFact } from '../../../host/linux/desktop/found-value.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { capitalised } from '../../../lib/capitalised.ts';
import { messageOf } from '../../../lib/errors.ts';
import { shownText } from '../../../lib/printable-text.ts';
import type { ActiveWindow, UserSession } from '../session.schema.ts';

/** What the one who shows the desktop tells about it. */
export interface DeskFacts {
  /** Where nobody has been for a while, Unix milliseconds since when. */
  idle: Fact<{ since: number } | false>;
  /** null: no window has the focus. */
  window: Fact<ActiveWindow | null>;
  desktop: Fact<NonNullable<UserSession['virtual_desktop']>>;
}

/** A connection to it. */
export interface DeskServer {
  read(): Promise<DeskFacts>;
  /** Calls back on changes, and when it is gone. */
  follow(changed: () => void, gone: () => void): void;
  close(): void;
}

export interface DeskOptions {
  /** Nobody will see the window in front: it is not looked at. */
  withheld: boolean;
  idleAfterMs: number;
  /** Somebody follows it for a while. */
  lasting: boolean;
}

/** A server that does not answer for so long is given up, ms. */
export const deskTimeoutMs = 1000;
const mostCharacters = 256;

export const toWindow = (window: Omit<ActiveWindow, 'app'> & { app: string }): ActiveWindow => ({
  ...window,
  title: shownText(window.title, mostCharacters),
  app: window.app === '' ? null : shownText(window.app, mostCharacters),
});

const withheldWindow: Fact<null> = inherently('not looked at');
export const unlessWithheld = (withheld: boolean, window: Fact<ActiveWindow | null>) =>
  withheld ? withheldWindow : window;

/** The display server of the session, kept only while somebody listens. */
export function createDesk(host: LinuxHost, options: () => Pick<DeskOptions, 'withheld' | 'idleAfterMs'>) {
  const { session } = host;
  let kept: { server: DeskServer; found: FoundSession; idleAfterMs: number } | null = null;
  let keeping = false;
  let bereft = false;
  let changed = () => {};

  const letGo = () => {
    kept?.server.close();
    kept = null;
  };

  const open = async (found: FoundSession): Promise<DeskServer | null> => {
    const { withheld, idleAfterMs } = options();
    if (kept !== null && kept.idleAfterMs !== idleAfterMs) letGo();
    if (kept !== null) return kept.server;
    const lasting = keeping;
    const server = await openDesk(host, found, { withheld, idleAfterMs, lasting });
    if (server === null || !lasting || !keeping || kept !== null) return server;
    kept = { server, found, idleAfterMs };
    server.follow(
      () => changed(),
      () => {
        if (kept?.server === server) kept = null;
        bereft = true;
        changed();
      },
    );
    return server;
  };

  return {
    async find(): Promise<FoundSession> {
      // As long as its server is there it is the same one: another would be announced.
      if (kept !== null) return kept.found;
      const found = await session.find(bereft);
      bereft = false;
      return found;
    },
    async read(found: FoundSession): Promise<DeskFacts> {
      let server: DeskServer | null = null;
      try {
        server = await open(found);
        if (server === null) return nothing(absence(found));
        return await server.read();
      } catch (error) {
        letGo();
        bereft = true;
        return nothing(mendably(`The display server of the session could not be queried: ${messageOf(error)}`));
      } finally {
        if (server !== kept?.server) server?.close();
      }
    },
    watch(told: () => void): () => void {
      changed = told;
      keeping = true;
      const stop = session.watch(() => {
        // Another session may have taken the place of the one that is listened to.
        letGo();
        told();
      });
      return () => {
        keeping = false;
        changed = () => {};
        stop();
        letGo();
      };
    },
    close: letGo,
  };
}

function absence({ refused = [] }: FoundSession) {
  return refused.length === 0 ? inherently('No desktop is running') : mendably(capitalised(refused.join('; ')));
}

/** An X server beside Wayland serves old programs only, and knows nothing of the others. */
async function openDesk(host: LinuxHost, { wayland, x11 }: FoundSession, options: DeskOptions) {
  if (wayland !== null) return (await import('./session.wayland.ts')).openWaylandDesk(host, wayland, options);
  return x11 === null ? null : (await import('./session.x11.ts')).openX11Desk(host, x11, options);
}

const nothing = (why: NoFact): DeskFacts => ({ idle: why, window: why, desktop: why });
