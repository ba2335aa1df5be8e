import { backgroundArguments } from '../../../lib/background-flag.ts';
import type { Restarts } from '../../platform.ts';
import type { TaskHost } from './own-task.ts';
import { suspendedFile } from './task-definition.ts';

/** Windows restarts the service by a repeating trigger of its task, which exists only while the service is meant to run. */
export function createRestarts(host: TaskHost, [program = '', ...args]: readonly string[]): Restarts {
  const isStartedBySystem = args.join(' ') === backgroundArguments.join(' ');
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
