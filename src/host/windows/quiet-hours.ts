import type { Native } from './native/native.ts';

/** A full-screen program, a full-screen Direct3D program, a presentation, the first hour, a full-screen app. */
const silencing: readonly number[] = [2, 3, 4, 6, 7];

/** Whether notifications are suppressed; null: not reported by Windows. */
export function isSilenced({ shell32, ntdll }: Pick<Native, 'shell32' | 'ntdll'>): boolean | null {
  const state = shell32.notificationState();
  if (state !== null && silencing.includes(state)) return true;
  const quiet = ntdll.quietHours();
  return quiet === null ? null : quiet > 0;
}
