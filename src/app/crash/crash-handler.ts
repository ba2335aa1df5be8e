import path from 'node:path';
import { readSecret } from '../../access/secrets.ts';
import type { Host } from '../../host/host.ts';
import type { Log } from '../../lib/log.ts';
import { version } from '../version.ts';
import { freshCrashes, writeCrash } from './crash-reports.ts';

interface Unhandled {
  /** uncaughtException or unhandledRejection. */
  kind: string;
  error: unknown;
  logLines: readonly string[];
  /** Whether a supervisor starts the service again. */
  isSupervised: boolean;
}

/** Writes a report when a bug ends the service: everything needed to fix it, and nothing of its settings, environment or arguments. Never rejects. */
export async function reportCrash(
  host: Host,
  log: Pick<Log, 'error'>,
  { kind, error, logLines, isSupervised }: Unhandled,
): Promise<void> {
  const { environment, paths, platform } = host;
  // The known secrets, in case an error message contains one.
  const secrets = await Promise.all(
    ['token', 'mqtt-password'].map((name) => readSecret(host, path.join(paths.state, name)).catch(() => null)),
  );
  writeCrash(host, log, {
    version,
    ran: (Date.now() - performance.timeOrigin) / 1000,
    machine: `${platform} ${environment.machine}, kernel ${environment.kernel}`,
    runtime: `Bun ${process.versions.bun ?? '?'}`,
    memoryBytes: process.memoryUsage().rss,
    kind,
    error,
    logLines,
    // The broker of a password is in the next line.
    secrets: secrets.map((secret) => secret?.split('\n')[0]?.trim() ?? ''),
    home: environment.home,
    userName: environment.userName,
    isSupervised,
  });
}

/** For "hostler status --json" and "hostler doctor --json": the newest last. */
export const crashesOf = (host: Pick<Host, 'storage' | 'paths' | 'clock'>) =>
  freshCrashes(host).map(({ at, version: of, file }) => ({ time: new Date(at).toISOString(), version: of, file }));
