import type { Host } from '../host/host.ts';
import type { LinuxHost } from '../host/linux/linux-host.ts';
import type { WindowsHost } from '../host/windows/windows-host.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Platform } from '../lib/platform.ts';

/** The host type of each platform: no source can get the host of another platform. */
interface PlatformHosts {
  linux: LinuxHost;
  windows: WindowsHost;
  darwin: Host;
}

/** One loader per platform, which creates the implementation for its host. A platform without one is unsupported. */
export type PerPlatform<Made, Rest extends unknown[] = []> = {
  [P in Platform]?: () => Promise<(host: PlatformHosts[P], ...rest: Rest) => Made>;
};

/** The implementation for the platform of this host; null: there is none. The only place that relies on the platform name of a host. */
export async function loadFor<Made, Rest extends unknown[]>(
  host: Host,
  loaders: PerPlatform<Made, Rest>,
): Promise<((...rest: Rest) => Made) | null> {
  // Each loader takes the host of its own platform, which the name of the platform identifies.
  const load = host.platform === null ? undefined : (loaders[host.platform] as Loader<Made, Rest> | undefined);
  if (load === undefined) return null;
  const make = await loadOnce(load);
  return (...rest) => make(host, ...rest);
}

type Loader<Made, Rest extends unknown[]> = () => Promise<(host: Host, ...rest: Rest) => Made>;

const loads = new WeakMap<object, Promise<unknown>>();

/** Importing a module again costs the runtime as much as reading a small file. One that failed is tried again. */
export function loadOnce<T>(load: () => Promise<T>): Promise<T> {
  const known = loads.get(load);
  // What a loader gives has its type.
  if (known !== undefined) return known as Promise<T>;
  const loading = load();
  loads.set(load, loading);
  loading.catch(() => loads.delete(load));
  return loading;
}

/** The same for an action, which cannot continue without it. */
export async function requireFor<Made>(host: Host, loaders: PerPlatform<Made>, name: string): Promise<Made> {
  const make = await loadFor(host, loaders);
  if (make === null) throw new ServiceError('unsupported', unsupportedHere(name));
  return make();
}

export const unsupportedHere = (name: string) => `${name} is not supported on this platform yet`;

/** The usual availability check of an action: the result of its platform, or that the platform is unsupported. */
export async function unavailableFor(
  host: Host,
  loaders: PerPlatform<{ unavailable(): string | null | Promise<string | null> }>,
  name: string,
): Promise<string | null> {
  const make = await loadFor(host, loaders);
  return make === null ? unsupportedHere(name) : await make().unavailable();
}
