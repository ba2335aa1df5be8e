import type { AskUser } from './core/agent.ts';
import type { Host } from './host/host.ts';
import { currentPlatform, type PerPlatform } from './lib/platform.ts';

type Ask = (host: Host, ...rest: Parameters<AskUser>) => ReturnType<AskUser>;

const platforms: PerPlatform<Ask> = {
  linux: async () => (await import('./host/linux/desktop/ask-user.ts')).askUserLinux,
};

/** The way to ask whoever sits at this machine. */
export function createAskUser(host: Host): AskUser {
  return async (question, signal) => {
    const ask = currentPlatform === null ? undefined : await platforms[currentPlatform]?.();
    return ask === undefined ? 'no_desktop' : await ask(host, question, signal);
  };
}
