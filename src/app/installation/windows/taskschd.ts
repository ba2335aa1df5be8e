import { address, pinned } from '../../../host/ffi.ts';
import { defineLibrary } from '../../../host/native-library.ts';
import { openBstr } from '../../../host/windows/com/bstr.ts';
import { ComError, type ComObject, openCom } from '../../../host/windows/com/com.ts';
import { defineInterface } from '../../../host/windows/com/interfaces.ts';
import { VARIANT } from '../../../host/windows/com/wmi.structs.ts';

/** The Task Scheduler. https://learn.microsoft.com/windows/win32/taskschd/ It is a service that may be busy, so the calls run in a thread. */
export interface TaskScheduler {
  /** null: there is no such task. */
  read(name: string): RegisteredTask | null;
  /** Creates or replaces a task that runs with the rights of the logged-in user. */
  register(name: string, xml: string): void;
  run(name: string): void;
  /** Does nothing where there is no such task. */
  remove(name: string): void;
}

export interface RegisteredTask {
  xml: string;
  isEnabled: boolean;
  /** The exit code of its last run, or a status: SCHED_S_TASK_RUNNING, SCHED_S_TASK_HAS_NOT_RUN. */
  lastResult: number;
}

const TaskScheduler = '0f87369f-a4e5-4cfc-bd3e-73e6154572dd';
const { CREATE_OR_UPDATE, INTERACTIVE_TOKEN } = { CREATE_OR_UPDATE: 6, INTERACTIVE_TOKEN: 3 };
/** HRESULT of ERROR_FILE_NOT_FOUND. */
const NOT_FOUND = 0x80070002;

export const taskschdLibrary = defineLibrary('taskschd', openTaskschd);

function openTaskschd(): TaskScheduler {
  const com = openCom();
  const { withTexts, take } = openBstr();
  const empty = pinned(VARIANT.size);
  // Its memory exists as long as something refers to it.
  const nothing = () => address(empty);
  const within = <T>(work: (folder: ComObject<typeof ITaskFolder>) => T): T =>
    com.within((scope) => {
      const service = scope.create(TaskScheduler, ITaskService);
      service.call('Connect', nothing(), nothing(), nothing(), nothing());
      const folder = withTexts(['\\'], (root) => service.get(ITaskFolder, 'GetFolder', root));
      if (folder === null) throw new Error('The Task Scheduler has no folder');
      return work(folder);
    });
  const find = (folder: ComObject<typeof ITaskFolder>, name: string) => {
    try {
      return withTexts([name], (text) => folder.get(IRegisteredTask, 'GetTask', text));
    } catch (error) {
      if (error instanceof ComError && error.result >>> 0 === NOT_FOUND) return null;
      throw error;
    }
  };
  return {
    read: (name) =>
      within((folder) => {
        const task = find(folder, name);
        if (task === null) return null;
        return {
          xml: take(task.ask('get_Xml').u64()),
          // A VARIANT_BOOL: 16 bits, all clear or all set.
          isEnabled: (task.ask('get_Enabled').u32() & 0xffff) !== 0,
          lastResult: task.ask('get_LastTaskResult').u32(),
        };
      }),
    register: (name, xml) =>
      within((folder) => {
        withTexts([name, xml], (nameText, xmlText) =>
          folder.get(
            IRegisteredTask,
            'RegisterTask',
            nameText,
            xmlText,
            CREATE_OR_UPDATE,
            nothing(),
            nothing(),
            INTERACTIVE_TOKEN,
            nothing(),
          ),
        );
      }),
    run: (name) =>
      within((folder) => {
        const task = find(folder, name);
        if (task === null) throw new Error(`The Task Scheduler has no task ${name}`);
        // It returns the running task, which is released with the others.
        task.get(IRegisteredTask, 'Run', nothing());
      }),
    remove: (name) =>
      within((folder) => {
        const result = withTexts([name], (text) => folder.attempt('DeleteTask', text, 0));
        if (result < 0 && result >>> 0 !== NOT_FOUND) throw new ComError('ITaskFolder.DeleteTask', result);
      }),
  };
}

/** A VARIANT is larger than a register, so it is passed by address. */
const ITaskService = defineInterface('ITaskService', '2faba4c7-4da9-4013-9697-20cc3fd40f85', {
  GetFolder: [7, 'u64', 'ptr'],
  Connect: [10, 'ptr', 'ptr', 'ptr', 'ptr'],
});

const ITaskFolder = defineInterface('ITaskFolder', '8cfac062-a080-4c15-9a88-aa7c2af80dfc', {
  GetTask: [13, 'u64', 'ptr'],
  DeleteTask: [15, 'u64', 'i32'],
  RegisterTask: [16, 'u64', 'u64', 'i32', 'ptr', 'ptr', 'i32', 'ptr', 'ptr'],
});

const IRegisteredTask = defineInterface('IRegisteredTask', '9c86f320-dee3-4dd1-b972-a303f26b061e', {
  get_Enabled: [10, 'ptr'],
  Run: [12, 'ptr', 'ptr'],
  get_LastTaskResult: [16, 'ptr'],
  get_Xml: [20, 'ptr'],
});
