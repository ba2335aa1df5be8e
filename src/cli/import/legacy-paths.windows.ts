import path from 'node:path';
import type { Host } from '../../host/host.ts';
import type { BridgePlace } from './bridge-places.ts';

export function windowsBridgePlaces({ environment }: Pick<Host, 'environment'>): BridgePlace[] {
  const { join } = path.win32;
  const local = environment.variable('LOCALAPPDATA') ?? join(environment.home, 'AppData', 'Local');
  const own = environment.variable('SYSTEM_BRIDGE_CONFIG_DIR');
  return [
    ...(own !== null && path.win32.isAbsolute(own) ? [{ directory: own }] : []),
    { directory: join(local, 'system-bridge', 'v5') },
  ];
}
