import { expect, test } from 'bun:test';
import { nativeOf } from '../../../../test/doubles/recorded-native.ts';
import { createInstallation, type InstallationHost } from './installation.ts';
import { taskXml } from './task-definition.ts';

const program = 'C:\\Hostler\\hostler.exe';

async function started(isElevated: boolean, hasTask = false, account = 'S-1') {
  const calls: unknown[] = [];
  const host = {
    native: nativeOf({ advapi32: { isElevated: () => isElevated, ownSid: () => 'S-1' } }),
    nativeElsewhere: () => ({
      read: async () =>
        hasTask && { xml: taskXml({ program, isRestarted: true }, account), isEnabled: true, lastResult: 0 },
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
  expect(await started(false, true, 'S-2')).toEqual([[program, ['serve', '--background']]]);
});

test('an administrator’s console starts it through Explorer, without administrator rights', async () => {
  expect(await started(false)).toEqual([[program, ['serve', '--background']]]);
  expect(await started(true)).toEqual([['C:\\Windows\\explorer.exe', [program]]]);
});

/** A directory that was created in C:\\ has the first, one in the profile or in Program Files the others. */
const rights = {
  shared:
    'O:S-1-5-21-1D:AI(A;ID;FA;;;BA)(A;OICIID;FA;;;SY)(A;OICIID;0x1200a9;;;BU)(A;OICIIOID;SDGXGWGR;;;AU)(A;ID;0x1301bf;;;AU)',
  own: 'O:S-1-5-21-1D:AI(A;OICIID;FA;;;SY)(A;OICIID;FA;;;BA)(A;OICIID;FA;;;S-1-5-21-1)',
  programs: 'O:BAD:AI(A;ID;FA;;;SY)(A;OICIIOID;GA;;;CO)(A;ID;0x1200a9;;;BU)(A;ID;0x1200a9;;;AC)',
};

test.each([
  ['shared', 'shared', 'Other users (AU) may change C:\\Hostler,'],
  ['own', 'shared', 'Other users (AU) may change C:\\Hostler\\hostler.exe,'],
  ['own', 'own', null],
  ['programs', 'programs', null],
  [null, null, null],
] as const)('a folder like %p with a program like %p is started at login: %p', async (folder, file, problem) => {
  const registered: string[] = [];
  const advapi32 = { ownSid: () => 'S-1-5-21-1', value: () => null, setText: () => true, removeValue: () => true };
  const descriptor = (place: string) => {
    const kind = place === program ? file : folder;
    return kind === null ? null : rights[kind];
  };
  const scheduler = {
    read: async () => (registered[0] ? { xml: registered[0], isEnabled: true, lastResult: 0 } : null),
    register: async (_name: string, xml: string) => void registered.push(xml),
  };
  const host = {
    native: nativeOf({ advapi32, rights: { descriptor } }),
    nativeElsewhere: () => scheduler,
    paths: { state: '/state' },
    storage: { write: () => {}, remove: () => {} },
  } as unknown as InstallationHost;
  const installing = createInstallation(host, 'own', program).setAutostart(true);
  if (problem === null) await installing;
  else await expect(installing).rejects.toThrow(problem);
  expect(registered).toHaveLength(problem === null ? 1 : 0);
});
