import { expect, test } from 'bun:test';
import { nativeOf } from '../../../../test/doubles/recorded-native.ts';
import { createInstallation, type InstallationHost } from './installation.ts';
import { taskXml } from './task-definition.ts';

const program = 'C:\\Hostler\\hostler.exe';

const quiet = 'C:\\Hostler\\hostlerw.exe';

async function started(isElevated: boolean, hasTask = false, account = 'S-1') {
  const calls: unknown[] = [];
  const host = {
    native: nativeOf({ advapi32: { isElevated: () => isElevated, ownSid: () => 'S-1' } }),
    nativeElsewhere: () => ({
      read: async () =>
        hasTask && { xml: taskXml({ program: quiet, isRestarted: true }, account), isEnabled: true, lastResult: 0 },
      async run(task: string) {
        if (!hasTask) throw new Error('no task');
        calls.push(task);
      },
    }),
    paths: { state: '/state' },
    environment: { variable: (name: string) => (name === 'SystemRoot' ? 'C:\\Windows' : null) },
    launch: { start: async (...given: unknown[]) => void calls.push(given.slice(0, 2)) },
  } as unknown as InstallationHost;
  await createInstallation(host, 'own', program).launch?.();
  return calls;
}

test('the Task Scheduler starts it where it has the task', async () => {
  expect(await started(true, true)).toEqual(['Hostler-S-1']);
});

test('a task that another user made under our name does not run', async () => {
  expect(await started(false, true, 'S-2')).toEqual([[program, ['serve']]]);
});

test('an administrator’s console starts it through Explorer, without administrator rights', async () => {
  expect(await started(false)).toEqual([[program, ['serve']]]);
  expect(await started(true)).toEqual([['C:\\Windows\\explorer.exe', [program]]]);
});
