import type { OpenConnection, OwnSockets, SocketInspector } from '../../host/socket-inspector.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Log } from '../../lib/log.ts';

export interface DownloadsParts {
  /** Whether this token or session grants files. */
  admits(tokenId: string): boolean;
  onTokensChange(changed: () => void): () => void;
  /** null: the platform does not inspect connections, and sends no file by the kernel. */
  inspect: OwnSockets['inspect'] | null;
  log: Pick<Log, 'warn'>;
}

type ConnectionEnds = Pick<OpenConnection, 'address' | 'port' | 'localPort'>;

/** The runtime does not report complete responses: above this number, ended connections are searched for. */
const manyDownloads = 256;

/** Ends responses that the kernel sends from a file when their token is revoked or loses the scope: the runtime cannot end one. */
export function createDownloads({ admits, onTokensChange, inspect, log }: DownloadsParts) {
  const running = new Map<string, { tokenId: string; localPort: number }>();
  let stopFollowing: (() => void) | null = null;
  let sweepAt = manyDownloads;

  const forget = (key: string) => {
    running.delete(key);
    if (running.size > 0) return;
    stopFollowing?.();
    stopFollowing = null;
  };

  /** Forgets connections that have ended, and ends those whose token no longer grants files. */
  const sweep = ({ connections, shut }: SocketInspector) => {
    const ports = new Set([...running.values()].map(({ localPort }) => localPort));
    const open = new Map([...ports].flatMap(connections).map((connection) => [keyOf(connection), connection]));
    for (const [key, { tokenId }] of running) {
      const connection = open.get(key);
      if (connection !== undefined && admits(tokenId)) continue;
      forget(key);
      if (connection !== undefined) shut(connection);
    }
    sweepAt = Math.max(manyDownloads, 2 * running.size);
  };
  const inspectAll = () =>
    void inspect?.()
      .then(sweep)
      .catch((error: unknown) => log.warn(`http: downloads of a revoked token cannot be ended: ${messageOf(error)}`));
  const tokensChanged = () => {
    if ([...running.values()].some(({ tokenId }) => !admits(tokenId))) inspectAll();
  };

  return {
    /** `gone` aborts when the client closes the connection. */
    began(connection: ConnectionEnds, tokenId: string, gone: AbortSignal) {
      if (inspect === null || gone.aborted) return;
      const key = keyOf(connection);
      running.set(key, { tokenId, localPort: connection.localPort });
      gone.addEventListener('abort', () => forget(key));
      if (stopFollowing === null) {
        stopFollowing = onTokensChange(tokensChanged);
        // A change right before that is not announced.
        tokensChanged();
      }
      if (running.size > sweepAt) inspectAll();
    },
    stop() {
      stopFollowing?.();
      stopFollowing = null;
    },
  };
}

const keyOf = ({ address, port, localPort }: ConnectionEnds) => `${localPort} ${address} ${port}`;
