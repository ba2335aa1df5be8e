import type { AskUser } from '../../core/agent.ts';
import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Host } from '../../host/host.ts';

const platforms: PerPlatform<AskUser> = {
  linux: async () => {
    const { askUserLinux } = await import('./permission-prompt.linux.ts');
    return (host) => (prompt, signal) => askUserLinux(host, prompt, signal);
  },
  windows: async () => {
    const { askUserWindows } = await import('./permission-prompt.windows.ts');
    return (host) => (prompt, signal) => askUserWindows(host, prompt, signal);
  },
};

/** Shows prompts to the user at this machine. */
export function createAskUser(host: Host): AskUser {
  return async (prompt, signal) => {
    const make = await loadFor(host, platforms);
    if (make === null) throw new Error('permission prompts are not supported on this platform yet');
    return await make()(prompt, signal);
  };
}
