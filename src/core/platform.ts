import type { Host } from '../host/host.ts';
import type { LinuxHost } from '../host/linux/linux-host.ts';
import type { WindowsHost } from '../host/windows/windows-host.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Platform } from '../lib/platform.ts';

/** The machine that each platform's code is given: no source can be handed another platform's. */
interface PlatformHosts {
  linux: LinuxHost;
  windows: WindowsHost;
  darwin: Host;
}

/** One loader per platform, of what makes the thing from that platform's machine. A platform without one is unsupported. */
export type PerPlatform<Made, Rest extends unknown[] = []> = {
  [P in Platform]?: () => Promise<(host: PlatformHosts[P], ...rest: Rest) => Made>;
};

/** What was written for the platform of this machine; null: nothing was. The only place where a machine is taken for what it says it is. */
export async function loadFor<Made, Rest extends unknown[]>(
  host: Host,
  loaders: PerPlatform<Made, Rest>,
): Promise<((...rest: Rest) => Made) | null> {
  // Each loader takes the machine of its own platform, which is what the name of the platform stands for.
  const load = host.platform === null ? undefined : (loaders[host.platform] as Loader<Made, Rest> | undefined);
  if (load === undefined) return null;
  const make = await load();
  return (...rest) => make(host, ...rest);
}

type Loader<Made, Rest extends unknown[]> = () => Promise<(host: Host, ...rest: Rest) => Made>;

/** The same for an action, which cannot go on without it. */
export async function requireFor<Made>(host: Host, loaders: PerPlatform<Made>, name: string): Promise<Made> {
  const make = await loadFor(host, loaders);
  if (make === null) throw new ServiceError('unsupported', unsupportedHere(name));
  return make();
}

export const unsupportedHere = (name: string) => `${name} is not supported on this platform yet`;

/** The usual answer to whether an action would work here: what its platform says, or that there is none. */
export async function unavailableFor(
  host: Host,
  loaders: PerPlatform<{ unavailable(): string | null | Promise<string | null> }>,
  name: string,
): Promise<string | null> {
  const make = await loadFor(host, loaders);
  return make === null ? unsupportedHere(name) : await make().unavailable();
}
