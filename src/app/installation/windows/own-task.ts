import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { parseTask, suspendedFile, type TaskFacts, taskName, taskXml } from './task-definition.ts';
import { type RegisteredTask, taskschdLibrary } from './taskschd.ts';

export type TaskHost = Pick<WindowsHost, 'native' | 'nativeElsewhere' | 'storage' | 'paths'>;

/** The task of the Task Scheduler that starts the service for this user. */
export function createOwnTask({ native, nativeElsewhere, storage, paths }: TaskHost) {
  const scheduler = nativeElsewhere(taskschdLibrary);
  const suspended = suspendedFile(paths);
  const ownSid = async () => {
    const sid = (await native()).advapi32.ownSid();
    if (sid === null) throw new Error('Windows does not report the account of this process');
    return sid;
  };
  return {
    /** null: there is none. */
    async read(): Promise<(TaskFacts & Omit<RegisteredTask, 'xml'>) | null> {
      const found = await scheduler.read(taskName(await ownSid()));
      const facts = found && parseTask(found.xml);
      return facts && found && { ...facts, isEnabled: found.isEnabled, lastResult: found.lastResult };
    },
    async register(facts: TaskFacts): Promise<void> {
      const sid = await ownSid();
      await scheduler.register(taskName(sid), taskXml(facts, sid));
      if (facts.isRestarted) storage.remove(suspended);
      else storage.write(suspended, '');
    },
    run: async () => await scheduler.run(taskName(await ownSid())),
    async remove(): Promise<void> {
      await scheduler.remove(taskName(await ownSid()));
      storage.remove(suspended);
    },
  };
}
