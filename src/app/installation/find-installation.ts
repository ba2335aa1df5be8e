import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Host } from '../../host/host.ts';
import type { Installation, WhichInstallation } from './installation.contract.ts';

const platforms: PerPlatform<Installation | Promise<Installation>, [WhichInstallation]> = {
  linux: async () => (await import('./linux/installation.ts')).createLinuxInstallation,
  windows: async () => (await import('./windows/installation.ts')).createInstallation,
};

/** null: Hostler does not install itself on this platform. */
export async function findInstallation(host: Host, which: WhichInstallation = 'user'): Promise<Installation | null> {
  return (await (await loadFor(host, platforms))?.(which)) ?? null;
}
