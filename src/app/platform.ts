import { loadFor, type PerPlatform } from '../core/platform.ts';
import type { Host } from '../host/host.ts';
import { keptFor } from '../lib/cache-by-object.ts';
import type { Supervisor } from './supervisor.contract.ts';
import type { Tray } from './tray/tray.contract.ts';

/** What the application needs of its platform. */
export interface AppPlatform {
  /** Reserves the state directory for this process until it ends; false: another service has it. Omitted: several may run. */
  onlyOne?(): Promise<boolean>;
  /** The supervisor that started this process and waits for its state; null: it cannot be reached. Omitted: there is none. */
  supervisor?(): Promise<Supervisor | null>;
  /** Closes the window that the system opened for this program. Omitted: it opens none. */
  leaveConsole?(): Promise<void>;
  /** Whether it was opened from the desktop, where its output is not seen. Omitted: it never is. */
  isDoubleClicked?(): Promise<boolean>;
  /** How the system starts this process again. Omitted: the supervisor decides by the exit code. */
  restarts?: Restarts;
  /** Formats a log line for a system that stores lines by level; omitted: unchanged. */
  logLine?(line: string): string;
  /** The tray icon; omitted: not implemented on this platform. */
  tray?: Tray;
}

export interface Restarts {
  /** The system started this process, at login or after a crash. */
  isStartedBySystem: boolean;
  /** From now on the system starts it again after a crash. */
  resume(): Promise<void>;
  /** A requested end, or one that a restart does not fix: the system does not start it before the next login. */
  suspend(): Promise<void>;
}

const platforms: PerPlatform<AppPlatform> = {
  linux: async () => (await import('./platform.linux.ts')).appOnLinux,
  windows: async () => (await import('./platform.windows.ts')).appOnWindows,
};

/** The same object at each call: the variables of the supervisor are removed from the environment when it is opened. */
export const appPlatform = keptFor(
  async (host: Host): Promise<AppPlatform> => (await loadFor(host, platforms))?.() ?? {},
);
