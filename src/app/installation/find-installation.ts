import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Host } from '../../host/host.ts';
import type { Later } from '../../lib/later.ts';
import type { Installation, WhichInstallation } from './installation.contract.ts';

const platforms: PerPlatform<Later<Installation>, [WhichInstallation]> = {
  linux: async () => (await import('./linux/installation.ts')).createLinuxInstallation,
  windows: async () => (await import('./windows/installation.ts')).createInstallation,
};

/** null: on this platform others see to it. */
export async function findInstallation(host: Host, which: WhichInstallation = 'user'): Promise<Installation | null> {
  return (await (await loadFor(host, platforms))?.(which)) ?? null;
}
