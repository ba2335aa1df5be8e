import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { checkDesktop } from './desktop-checks.windows.ts';

/** `holds`: whether the Action Center holds what is shown. */
function machine(command: string | null, holds = true) {
  const present: string[] = [];
  const toasts = {
    state: async () => 'on',
    show: async (_app: string, _xml: string, tag: string) => void (holds ? present.push(tag) : null),
    hide: async () => void present.splice(0),
    async present() {
      host.clock.advance(600);
      return present;
    },
  };
  const host = fakeHost({
    native: async () => ({ advapi32: { value: () => command } }),
    nativeElsewhere: () => toasts,
  } as object);
  const after = (_ms: number, done: () => void) => {
    queueMicrotask(done);
    return () => {};
  };
  // The clock advances with each look.
  const clock = { ...host.clock, after };
  const { native, nativeElsewhere } = host as unknown as WindowsHost;
  return { native, nativeElsewhere, clock };
}

test('the Action Center is compared with what was shown, where Hostler is installed', async () => {
  const command = '"C:\\Hostler\\hostler.exe" toast-pressed "%1"';
  expect((await checkDesktop(machine(command))).map(({ passed }) => passed)).toEqual([true, true, true, true]);
  const failed = (await checkDesktop(machine(command, false))).filter(({ passed }) => !passed);
  expect(failed).toMatchObject([{ field: 'toast in the Action Center', ours: 'present', theirs: 'absent' }]);
  expect(await checkDesktop(machine(null))).toEqual([]);
});
