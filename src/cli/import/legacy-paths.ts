import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Host } from '../../host/host.ts';
import type { BridgePlace } from './bridge-places.ts';

const platforms: PerPlatform<BridgePlace[]> = {
  linux: async () => (await import('./legacy-paths.linux.ts')).linuxBridgePlaces,
  windows: async () => (await import('./legacy-paths.windows.ts')).windowsBridgePlaces,
};

export async function bridgePlacesOf(host: Host): Promise<BridgePlace[]> {
  return (await loadFor(host, platforms))?.() ?? [];
}

const adopters: PerPlatform<void, [string]> = {
  linux: async () => (await import('../../host/linux/hardware/machine-uuid.ts')).adoptUuid,
};

/** Sets the identifier of this machine from the next start on. */
export async function adoptIdentity(host: Host, uuid: string): Promise<void> {
  (await loadFor(host, adopters))?.(uuid);
}
