import { appPlatform } from '../app/platform.ts';
import { backgroundFlag } from '../lib/background-flag.ts';
import { createContext } from './context.ts';
import { exitCodeOf, isWrongUsage } from './exit.ts';
import { AlreadyRunning, serve } from './serve.ts';

/** `hostler serve` without options, with or without a console. */
export async function runServeOnly(args: string[]): Promise<number> {
  return await exitCodeOf(async () => {
    const context = await createContext();
    if (args.includes(backgroundFlag)) await (await appPlatform(context.host)).leaveConsole?.();
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
