import path from 'node:path';
import type { WindowsHost } from '../../../host/windows/windows-host.ts';
import { parseTask, suspendedFile, type TaskFacts, taskName, taskXml } from './task-definition.ts';
import { type RegisteredTask, taskschdLibrary } from './taskschd.ts';

export type TaskHost = Pick<WindowsHost, 'native' | 'nativeElsewhere' | 'storage' | 'paths'>;

/** The task of the Task Scheduler that starts this program for this user. */
export function createOwnTask({ native, nativeElsewhere, storage, paths }: TaskHost, program: string) {
  const scheduler = nativeElsewhere(taskschdLibrary);
  const suspended = suspendedFile(paths);
  const ownSid = async () => {
    const sid = (await native()).advapi32.ownSid();
    if (sid === null) throw new Error('Windows does not report the account of this process');
    return sid;
  };
  const read = async (): Promise<(TaskFacts & Omit<RegisteredTask, 'xml'>) | null> => {
    const sid = await ownSid();
    const found = await scheduler.read(taskName(sid));
    const facts = found && parseTask(found.xml, sid, path.win32.dirname(program));
    return facts && found && { ...facts, isEnabled: found.isEnabled, lastResult: found.lastResult };
  };
  return {
    /** null: there is none. */
    read,
    async register(facts: TaskFacts): Promise<void> {
      const sid = await ownSid();
      await scheduler.register(taskName(sid), taskXml(facts, sid));
      if (facts.isRestarted) storage.remove(suspended);
      else storage.write(suspended, '');
    },
    async run(): Promise<void> {
      if ((await read()) === null) throw new Error('There is no task of this program');
      await scheduler.run(taskName(await ownSid()));
    },
    async remove(): Promise<void> {
      await scheduler.remove(taskName(await ownSid()));
      storage.remove(suspended);
    },
  };
}
