import { wide } from '../host/windows/native/memory.ts';
import { win32 } from '../host/windows/native/win32.ts';

const { WAIT_OBJECT_0, WAIT_ABANDONED } = { WAIT_OBJECT_0: 0, WAIT_ABANDONED: 0x80 };
/** Windows accepts names of 260 characters. A longer path is cut at its beginning, because its end is more specific. */
const longestPath = 200;

/** Reserves the state directory in this session until the process ends, however it ends; false: another process has it. */
export function holdInstance(state: string): boolean {
  const mutex = win32.CreateMutexW(0, 0, wide(instanceName(state)));
  // An object of another user has this name and cannot be opened.
  if (mutex === 0n) return false;
  // GetLastError would say whether the mutex is new, but the runtime may have changed it by now. Waiting does not depend on it.
  const outcome = win32.WaitForSingleObject(mutex, 0);
  if (outcome === WAIT_OBJECT_0 || outcome === WAIT_ABANDONED) return true;
  win32.CloseHandle(mutex);
  return false;
}

/** The name of the mutex. After its prefix it must not contain a backslash. */
export function instanceName(state: string): string {
  return `Local\\hostler ${state.toLowerCase().replaceAll('\\', '/').slice(-longestPath)}`;
}
