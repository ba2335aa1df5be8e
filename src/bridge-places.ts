import { loadFor, type PerPlatform } from './core/platform.ts';
import type { BridgePlace } from './host/bridge-places.ts';
import type { Host } from './host/host.ts';

const platforms: PerPlatform<BridgePlace[]> = {
  linux: async () => (await import('./host/linux/bridge-places.ts')).linuxBridgePlaces,
  windows: async () => (await import('./host/windows/bridge-places.ts')).windowsBridgePlaces,
};

export async function bridgePlacesOf(host: Host): Promise<BridgePlace[]> {
  return (await loadFor(host, platforms))?.() ?? [];
}
