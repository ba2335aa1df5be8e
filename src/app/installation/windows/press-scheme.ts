import type { Advapi32 } from '../../../host/windows/native/advapi32.ts';
import { pressScheme } from '../../../host/windows/toast-presses.ts';

type Registry = Pick<Advapi32, 'setText' | 'removeKey' | 'hasKey'>;

const key = `Software\\Classes\\${pressScheme}`;

/** The program that Windows starts for a press on a toast. https://learn.microsoft.com/windows/win32/shell/fa-intro */
export function registerPresses(registry: Registry, program: string): void {
  const isDone =
    registry.setText('HKCU', key, '', 'URL:Hostler') &&
    registry.setText('HKCU', key, 'URL Protocol', '') &&
    registry.setText('HKCU', `${key}\\shell\\open\\command`, '', `"${program}" toast-pressed "%1"`);
  if (!isDone) throw new Error('Windows refused to write the registry entry for presses on notifications');
}

export function removePresses(registry: Registry): void {
  if (registry.hasKey('HKCU', key) && !registry.removeKey('HKCU', key))
    throw new Error('Windows refused to remove the registry entry for presses on notifications');
}
