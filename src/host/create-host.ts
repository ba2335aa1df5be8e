import type { Later } from '../lib/later.ts';
import type { Platform } from '../lib/platform.ts';
import type { StartedThread, StartThread } from '../lib/thread.ts';
import type { Host } from './host.ts';

/** One loader per platform: the code of other platforms is not loaded. */
const creators: Partial<
  Record<Platform, () => Promise<(version: string, startThread: StartThread<StartedThread>) => Later<Host>>>
> = {
  linux: async () => (await import('./linux/create-linux-host.ts')).createLinuxHost,
  windows: async () => (await import('./windows/create-windows-host.ts')).createWindowsHost,
};

/** This machine. A system without its own folder gets the parts that every system has. */
export async function createHost(
  version: string,
  platform: Platform | null,
  startThread: StartThread<StartedThread>,
): Promise<Host> {
  const load = platform === null ? undefined : creators[platform];
  if (load !== undefined) return await (await load())(version, startThread);
  const { createPlainHost } = await import('./plain-host.ts');
  return createPlainHost(version, platform, startThread);
}
