import { expect, test } from 'bun:test';
import { nativeOf } from '../../../../test/doubles/recorded-native.ts';
import { createInstallation, type InstallationHost } from './installation.ts';
import { taskXml } from './task-definition.ts';

const program = 'C:\\Hostler\\hostler.exe';

/** Elevation type and integrity level. */
const tokens = {
  usual: { elevationType: 3, integrity: 'S-1-16-8192' },
  elevated: { elevationType: 2, integrity: 'S-1-16-12288' },
  withoutUac: { elevationType: 1, integrity: 'S-1-16-12288' },
  service: { elevationType: 1, integrity: 'S-1-16-16384' },
  sandbox: { elevationType: 3, integrity: 'S-1-16-4096' },
};

async function started(own: keyof typeof tokens, hasTask = false, account = 'S-1') {
  const calls: unknown[] = [];
  const host = {
    native: nativeOf({ advapi32: { processToken: () => tokens[own], ownSid: () => 'S-1' } }),
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
  expect(await started('elevated', true)).toEqual(['Hostler-S-1']);
});

test('a task that another user made under our name does not run', async () => {
  expect(await started('usual', true, 'S-2')).toEqual([[program, ['serve', '--background']]]);
});

test('an administrator’s console starts it through Explorer, without administrator rights', async () => {
  for (const own of ['usual', 'withoutUac', 'sandbox'] as const)
    expect(await started(own)).toEqual([[program, ['serve', '--background']]]);
  expect(await started('elevated')).toEqual([['C:\\Windows\\explorer.exe', [program]]]);
});

test.each([
  ['usual', null],
  ['withoutUac', null],
  ['elevated', 'as administrator, so Windows gives it neither notifications with buttons nor players; run "'],
  ['service', 'as a service of Windows'],
  ['sandbox', 'with low integrity'],
] as const)('a running service with a token like %p is reported: %p', async (kind, problem) => {
  const advapi32 = {
    ownSid: () => 'S-1',
    value: () => null,
    processToken: (pid: number) => (pid === 7 ? tokens[kind] : null),
  };
  const host = {
    native: nativeOf({ advapi32, shell32: { knownFolder: () => 'C:\\Menu' } }),
    nativeElsewhere: () => ({ read: async () => null }),
    paths: { state: '/state' },
    storage: { read: () => '{"pid": 7, "port": 9170}' },
    environment: { isRunning: () => true },
  } as unknown as InstallationHost;
  const { lines } = await createInstallation(host, 'own', program).state();
  const found = lines.filter((line) => line.startsWith('Hostler runs '));
  expect(found).toEqual(problem === null ? [] : [expect.stringContaining(problem)]);
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
  [null, 'own', 'Other users (an unknown owner) may change C:\\Hostler,'],
] as const)('a folder like %p with a program like %p is started at login: %p', async (folder, file, problem) => {
  const registered: string[] = [];
  const advapi32 = {
    ...{ processToken: () => tokens.usual, ownSid: () => 'S-1-5-21-1' },
    ...{ value: () => null, setText: () => true, removeValue: () => true },
  };
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

test('as SYSTEM it is not installed', async () => {
  const host = {
    native: nativeOf({ advapi32: { processToken: () => tokens.service, ownSid: () => 'S-1' } }),
    nativeElsewhere: () => ({}),
    paths: { state: '/state' },
  } as unknown as InstallationHost;
  const { install, setAutostart } = createInstallation(host, 'own', program);
  await expect(install({ mayStart: false })).rejects.toThrow('SYSTEM');
  await expect(setAutostart(true)).rejects.toThrow('SYSTEM');
});
