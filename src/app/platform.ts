import { loadFor, type PerPlatform } from '../core/platform.ts';
import type { Host } from '../host/host.ts';
import { keptFor } from '../lib/cache-by-object.ts';
import type { Supervisor } from './supervisor.contract.ts';
import type { Tray } from './tray/tray.contract.ts';

/** What the application itself needs of its platform. */
export interface AppPlatform {
  /** Reserves the state directory for this process until it ends; false: another service has it. Left out: several may run. */
  onlyOne?(): Promise<boolean>;
  /** The process that started this one and waits for its state; null: it cannot be reached. Left out: there is none. */
  supervisor?(): Promise<Supervisor | null>;
  /** A line of the log, as the system expects it where it keeps lines by their level; left out: as it is. */
  logLine?(line: string): string;
  /** An icon beside the clock; left out: not implemented on this platform. */
  tray?: Tray;
}

const platforms: PerPlatform<AppPlatform> = {
  linux: async () => (await import('./platform.linux.ts')).appOnLinux,
  windows: async () => (await import('./platform.windows.ts')).appOnWindows,
};

/** The same object at each call: the variables of the supervisor are removed from the environment when it is opened. */
export const appPlatform = keptFor(
  async (host: Host): Promise<AppPlatform> => (await loadFor(host, platforms))?.() ?? {},
);
