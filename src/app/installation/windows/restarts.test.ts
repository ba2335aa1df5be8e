import { expect, test } from 'bun:test';
import { nativeOf } from '../../../../test/doubles/recorded-native.ts';
import type { TaskHost } from './own-task.ts';
import { createRestarts } from './restarts.ts';
import { parseTask, taskXml } from './task-definition.ts';

const program = 'C:\\Hostler\\hostler.exe';

function machine({ isEnabled = true, isRestarted = true }: { isEnabled?: boolean; isRestarted?: boolean } = {}) {
  const files = new Set<string>();
  const state = { xml: taskXml({ program, isRestarted }, 'S-1'), reads: 0 };
  const scheduler = {
    read: async () => {
      state.reads += 1;
      return { xml: state.xml, isEnabled, lastResult: 0 };
    },
    async register(_name: string, xml: string) {
      state.xml = xml;
    },
  };
  const host = {
    native: nativeOf({ advapi32: { ownSid: () => 'S-1' } }),
    nativeElsewhere: () => scheduler,
    paths: { state: '/state' },
    storage: {
      write: (file: string) => void files.add(file),
      remove: (file: string) => void files.delete(file),
      signature: (file: string) => (files.has(file) ? 'x' : null),
    },
  } as unknown as TaskHost;
  return { host, reads: () => state.reads, isRestarted: () => parseTask(state.xml, 'S-1', 'C:\\Hostler')?.isRestarted };
}

test('a requested end ends the restarts, and the next start by Windows resumes them', async () => {
  const { host, reads, isRestarted } = machine();
  const started = createRestarts(host, [program, 'serve', '--background']);
  await started.resume();
  // An ordinary start does not ask the Task Scheduler.
  expect(reads()).toBe(0);
  await started.suspend();
  expect(isRestarted()).toBe(false);
  // A service in a console is none that Windows restarts.
  for (const other of [[program, 'serve'], [program], [program, 'serve', '--port', '0']])
    await createRestarts(host, other).resume();
  expect(isRestarted()).toBe(false);
  await started.resume();
  expect(isRestarted()).toBe(true);
});

test('a task that the user has disabled stays as it is', async () => {
  const { host, isRestarted } = machine({ isEnabled: false });
  await createRestarts(host, [program, 'serve', '--background']).suspend();
  expect(isRestarted()).toBe(true);
});
