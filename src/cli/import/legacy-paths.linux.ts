import path from 'node:path';
import { adoptedUuid } from '../../host/linux/hardware/machine-uuid.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import type { BridgePlace } from './bridge-places.ts';

type Parts = Pick<LinuxHost, 'environment' | 'files' | 'storage' | 'paths'>;

export function linuxBridgePlaces(host: Parts): BridgePlace[] {
  const { environment } = host;
  const absolute = (name: string) => {
    const given = environment.variable(name);
    return given !== null && path.isAbsolute(given) ? given : null;
  };
  const data = absolute('XDG_DATA_HOME') ?? path.join(environment.home, '.local', 'share');
  const own = absolute('SYSTEM_BRIDGE_CONFIG_DIR');
  return [
    ...(own === null ? [] : [withIdentity(host, own)]),
    withIdentity(host, path.join(data, 'system-bridge', 'v5')),
  ];
}

/**
 * The serial number of the board if this user can read it, or else the machine id; for default serial numbers, one that it generated and
 * stored.
 */
function withIdentity({ files, storage, paths }: Parts, directory: string): BridgePlace {
  const board = files.text('/sys/class/dmi/id/product_uuid')?.trim().toLowerCase();
  const machine = files
    .text('/etc/machine-id')
    ?.trim()
    .replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  const first = board || machine;
  const found = isOwn(first) ? first : keptIn(storage, directory);
  return isOwn(found) && found !== adoptedUuid({ storage, paths }) ? { directory, identity: found } : { directory };
}

function keptIn(storage: LinuxHost['storage'], directory: string): string | undefined {
  try {
    return storage.read(path.join(directory, 'uuid'))?.trim();
  } catch {
    return undefined;
  }
}

/** Not a default of the manufacturer. */
const isOwn = (uuid: string | undefined): uuid is string =>
  uuid !== undefined &&
  /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(uuid) &&
  !/^(?:0{8}|f{8}|03000200|03020100)-/.test(uuid);
