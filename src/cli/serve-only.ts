import { appPlatform } from '../app/platform.ts';
import { createContext } from './context.ts';
import { exitCodeOf, isWrongUsage } from './exit.ts';
import { AlreadyRunning, serve } from './serve.ts';

/** `hostler serve` without options. */
export async function runServeOnly(_args: string[]): Promise<number> {
  return await exitCodeOf(async () => {
    const context = await createContext();
    try {
      await serve(context, {});
    } catch (error) {
      const { restarts } = await appPlatform(context.host);
      // What a restart every minute would not fix.
      const isLasting = isWrongUsage(error) || error instanceof AlreadyRunning;
      if (isLasting && restarts?.isStartedBySystem) await restarts.suspend().catch(() => {});
      throw error;
    }
  });
}
