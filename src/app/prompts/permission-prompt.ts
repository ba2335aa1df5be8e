import type { AskOnScreen } from '../../core/agent.ts';
import { loadFor, type PerPlatform } from '../../core/platform.ts';
import type { Host } from '../../host/host.ts';

const platforms: PerPlatform<AskOnScreen> = {
  linux: async () => {
    const { askUserLinux } = await import('./permission-prompt.linux.ts');
    return (host) => (prompt, signal, answered) => askUserLinux(host, prompt, signal, answered);
  },
  windows: async () => {
    const { askUserWindows } = await import('./permission-prompt.windows.ts');
    return (host) => (prompt, signal) => askUserWindows(host, prompt, signal);
  },
};

/** Shows prompts to the user at this machine. */
export function createAskUser(host: Host): AskOnScreen {
  return async (prompt, signal, answered) => {
    const make = await loadFor(host, platforms);
    if (make === null) throw new Error('permission prompts are not supported on this platform yet');
    return await make()(prompt, signal, answered);
  };
}
