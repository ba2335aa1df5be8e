import type { PerPlatform } from '../../core/platform.ts';
import type { Later } from '../../lib/later.ts';
import type { Advertising } from '../../transports/discovery/advertise.ts';

/** What each platform knows about itself for others on the network. */
export const advertising: PerPlatform<Later<Advertising>> = {
  linux: async () => (await import('./linux/system.advertising.ts')).advertiseLinux,
  windows: async () => (await import('./windows/system.advertising.ts')).advertiseWindows,
};
