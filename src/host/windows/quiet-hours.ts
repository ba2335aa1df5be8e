import type { Native } from './native/native.ts';

/** A program that fills the screen, a Direct3D program that does, a presentation, the first hour, an app that fills the screen. */
const silencing: readonly number[] = [2, 3, 4, 6, 7];

/** Whether notifications are kept back; null: Windows does not tell. */
export function isSilenced({ shell32, ntdll }: Pick<Native, 'shell32' | 'ntdll'>): boolean | null {
  const state = shell32.notificationState();
  if (state !== null && silencing.includes(state)) return true;
  const quiet = ntdll.quietHours();
  return quiet === null ? null : quiet > 0;
}
