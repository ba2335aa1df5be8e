import type { DesktopSession, FoundSession } from './desktop-session.ts';

/** A connection to a display server. */
export interface LinkedServer {
  /** Calls back on changes, and when the connection ends. */
  follow(changed: () => void, gone: () => void): void;
  close(): void;
}

/** The display server of the session. The connection stays open only while there are listeners. */
export function createServerLink<S extends LinkedServer>(
  session: DesktopSession,
  open: (found: FoundSession, lasting: boolean) => Promise<S | null>,
) {
  let kept: { server: S; found: FoundSession } | null = null;
  let listener: (() => void) | null = null;
  let isLost = false;

  const disconnect = () => {
    kept?.server.close();
    kept = null;
  };

  const connect = async (found: FoundSession): Promise<S | null> => {
    if (kept !== null) return kept.server;
    const lasting = listener !== null;
    const server = await open(found, lasting);
    if (server === null || !lasting || listener === null || kept !== null) return server;
    kept = { server, found };
    server.follow(
      () => listener?.(),
      () => {
        if (kept?.server === server) kept = null;
        isLost = true;
        listener?.();
      },
    );
    return server;
  };

  return {
    isFollowed: () => listener !== null,
    async find(): Promise<FoundSession> {
      // While its server is connected, the session is the same: another one would be announced.
      if (kept !== null) return kept.found;
      const found = await session.find(isLost);
      isLost = false;
      return found;
    },
    /** null: the session has no server. After an error the session is searched again. */
    async use<T>(found: FoundSession, work: (server: S | null) => Promise<T>): Promise<T> {
      let server: S | null = null;
      try {
        server = await connect(found);
        return await work(server);
      } catch (error) {
        disconnect();
        isLost = true;
        throw error;
      } finally {
        if (server !== kept?.server) server?.close();
      }
    },
    watch(changed: () => void): () => void {
      listener = changed;
      const stop = session.watch(() => {
        // Another session may have replaced the one that is followed.
        disconnect();
        changed();
      });
      return () => {
        listener = null;
        stop();
        disconnect();
      };
    },
    disconnect,
  };
}
