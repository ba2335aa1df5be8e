import { toastAppId } from '../../host/windows/notifications.ts';
import { pressScheme } from '../../host/windows/toast-presses.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { sleep } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import type { ComparedFact } from './witness.ts';

const tag = 'self-test';
const withinMs = 15_000;
const xml =
  '<toast><visual><binding template="ToastGeneric"><text>Hostler self-test</text><text>It is removed after a moment</text></binding></visual></toast>';

/** A toast is shown, found in the Action Center and removed; presses start this program. Only where Hostler is installed. */
export async function checkDesktop(host: Pick<WindowsHost, 'native' | 'nativeElsewhere' | 'clock'>) {
  const toasts = host.nativeElsewhere('toasts');
  const { advapi32 } = await host.native();
  const results: ComparedFact[] = [];
  const check = (field: string, ours: string, theirs: string) =>
    results.push({ module: 'notification', field, ours, theirs, passed: ours === theirs });
  const isPresent = async () => ((await toasts.present(toastAppId)).includes(tag) ? 'present' : 'absent');
  const becomes = async (wanted: string) => {
    const until = host.clock.monotonic() + withinMs;
    let state = await isPresent();
    while (state !== wanted && host.clock.monotonic() < until) {
      await sleep(host.clock, 500);
      state = await isPresent();
    }
    return state;
  };
  const command = advapi32.value('HKCU', `Software\\Classes\\${pressScheme}\\shell\\open\\command`, '');
  if (command === null) return results;
  check('program for presses', 'toast-pressed "%1"', String(command).slice(-'toast-pressed "%1"'.length));
  try {
    check('toasts', 'on', await toasts.state(toastAppId));
    await toasts.show(toastAppId, xml, tag);
    check('toast in the Action Center', 'present', await becomes('present'));
    await toasts.hide(toastAppId, tag);
    check('removed toast', 'absent', await becomes('absent'));
  } catch (error) {
    check('toast', 'shown', messageOf(error));
  }
  return results;
}
