import path from 'node:path';
import type { Restarts } from '../../platform.ts';
import type { TaskHost } from './own-task.ts';
import { suspendedFile } from './task-definition.ts';

/** Windows restarts the service by a repeating trigger of its task, which exists only while the service is meant to run. */
export function createRestarts(host: TaskHost, [program = '', ...args]: readonly string[]): Restarts {
  // Programs that users start have a console, or no arguments.
  const isStartedBySystem = path.win32.basename(program).toLowerCase() === 'hostlerw.exe' && args.join(' ') === 'serve';
  const change = async (isRestarted: boolean) => {
    const task = (await import('./own-task.ts')).createOwnTask(host, program);
    const current = await task.read();
    if (current?.isEnabled && current.isRestarted !== isRestarted)
      await task.register({ program: current.program, isRestarted });
  };
  return {
    isStartedBySystem,
    async resume() {
      if (isStartedBySystem && host.storage.signature(suspendedFile(host.paths)) !== null) await change(true);
    },
    suspend: () => change(false),
  };
}
