import { loadFor, type PerPlatform } from './core/platform.ts';
import type { Host } from './host/host.ts';
import type { Installation } from './host/installation.ts';

const platforms: PerPlatform<Installation> = {
  windows: async () => (await import('./host/windows/installation.ts')).createInstallation,
};

/** null: on this platform others see to it, such as a service manager. */
export async function findInstallation(host: Host): Promise<Installation | null> {
  return (await loadFor(host, platforms))?.() ?? null;
}
