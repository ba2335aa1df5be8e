import { appPlatform } from '../app/platform.ts';
import { createContext } from './context.ts';
import { exitCodeOf } from './exit.ts';
import { openDashboard } from './open.ts';
import { AlreadyRunning, serve } from './serve.ts';

/** Opened from the desktop, the program serves, or opens the dashboard of the running service; otherwise it prints its help. */
export async function runDoubleClicked(args: string[]): Promise<number> {
  const context = await createContext();
  const { isDoubleClicked, leaveConsole } = await appPlatform(context.host);
  if ((await isDoubleClicked?.()) !== true) return await (await import('./program.ts')).runProgram(args);
  return await exitCodeOf(async () => {
    await leaveConsole?.();
    try {
      await serve(context, {});
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error;
      await openDashboard(context, {});
    }
  });
}
