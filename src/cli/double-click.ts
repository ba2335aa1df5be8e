import { createContext } from './context.ts';
import { exitCodeOf } from './exit.ts';
import { openDashboard } from './open.ts';
import { AlreadyRunning, serve } from './serve.ts';

/** The program without a console cannot show its help: without a command it serves, or opens the dashboard of the running service. */
export async function runDoubleClicked(_args: string[]): Promise<number> {
  return await exitCodeOf(async () => {
    const context = await createContext();
    try {
      await serve(context, {});
    } catch (error) {
      if (!(error instanceof AlreadyRunning)) throw error;
      await openDashboard(context, {});
    }
  });
}
