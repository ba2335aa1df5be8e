import path from 'node:path';
import type { BridgePlace } from '../bridge-places.ts';
import type { Host } from '../host.ts';

/** 5 is written in Go, 4 and 3 in Python (one with and one without its author in the path), 2 in TypeScript. */
export function linuxBridgePlaces({ environment }: Pick<Host, 'environment'>): BridgePlace[] {
  const absolute = (name: string) => {
    const given = environment.variable(name);
    return given !== null && path.isAbsolute(given) ? given : null;
  };
  const usual = path.join(environment.home, '.local', 'share');
  const data = absolute('XDG_DATA_HOME') ?? usual;
  const own = absolute('SYSTEM_BRIDGE_CONFIG_DIR');
  const python = [path.join(data, 'systembridge'), path.join(data, 'timmo001', 'systembridge')];
  return [
    ...(own === null ? [] : [{ generation: 5 as const, directory: own }]),
    { generation: 5, directory: path.join(data, 'system-bridge', 'v5') },
    ...python.map((directory) => ({ generation: 4 as const, directory })),
    ...python.map((directory) => ({ generation: 3 as const, directory })),
    { generation: 2, directory: path.join(usual, 'system-bridge') },
  ];
}
