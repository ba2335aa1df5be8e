import path from 'node:path';
import type { BridgePlace } from '../bridge-places.ts';
import type { Host } from '../host.ts';

export function windowsBridgePlaces({ environment }: Pick<Host, 'environment'>): BridgePlace[] {
  const { join } = path.win32;
  const local = environment.variable('LOCALAPPDATA') ?? join(environment.home, 'AppData', 'Local');
  const roaming = environment.variable('APPDATA') ?? join(environment.home, 'AppData', 'Roaming');
  const own = environment.variable('SYSTEM_BRIDGE_CONFIG_DIR');
  const python = join(local, 'timmo001', 'systembridge');
  return [
    ...(own !== null && path.win32.isAbsolute(own) ? [{ generation: 5 as const, directory: own }] : []),
    { generation: 5, directory: join(local, 'system-bridge', 'v5') },
    { generation: 4, directory: python },
    { generation: 3, directory: python },
    { generation: 2, directory: join(roaming, 'system-bridge') },
  ];
}
