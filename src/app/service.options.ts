import type { Log, LogFormat, LogLevel } from '../lib/log.ts';
import type { LogTail } from '../lib/log-tail.ts';
import { isLocked, lockedBy } from '../settings/locks.ts';
import type { SettingsStore } from '../settings/settings.ts';
import type { TrayOrders } from './tray/tray.ts';

/** Options of the command line and the environment. They take precedence over the settings, but not over locked ones. */
export interface ServeOptions {
  host: string | null;
  port: number | null;
  logLevel: LogLevel | null;
  logFormat: LogFormat | null;
  /** Holds the last lines of the log for "hostler logs". */
  logTail?: LogTail;
  /** An authorised caller requested shutdown. */
  exit(): void;
  /** Actions of the tray icon; omitted: no icon. */
  tray?: Omit<TrayOrders, 'quit'>;
}

export interface EffectiveOptions {
  logFormat(): LogFormat;
  /** Sets level and format of the log. */
  applyToLog(): void;
  /** Where to listen. Logs options that a lock overrides. */
  listenOn(): { address: string; port: number; securePort: number };
}

export function effectiveOptions(
  options: Pick<ServeOptions, 'host' | 'port' | 'logLevel' | 'logFormat'>,
  settings: Pick<SettingsStore, 'current' | 'locks'>,
  log: Log,
): EffectiveOptions {
  const chosen = <T>(key: string, own: T | null, configured: T): T =>
    own === null || isLocked(settings.locks(), key) ? configured : own;
  const logFormat = () => chosen('logFormat', options.logFormat, settings.current().logFormat);
  return {
    logFormat,
    applyToLog() {
      log.setLevel(chosen('logLevel', options.logLevel, settings.current().logLevel));
      log.setFormat(logFormat());
    },
    listenOn() {
      const { server } = settings.current();
      const locks = settings.locks();
      for (const [key, own] of [['server.host', options.host] as const, ['server.port', options.port] as const])
        if (own !== null && locks !== null && isLocked(locks, key))
          log.warn(`${lockedBy(key, locks.file)}: ${own} is not used`);
      const port = chosen('server.port', options.port, server.port);
      return {
        address: chosen('server.host', options.host, server.host),
        port,
        // With port 0 the system chooses both ports.
        securePort: port === 0 ? 0 : server.tlsPort,
      };
    },
  };
}
