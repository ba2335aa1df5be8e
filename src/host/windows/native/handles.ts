import { wide } from './memory.ts';
import { win32 } from './win32.ts';

/** Closes the handle afterwards; null: there is none. */
export function withHandle<T>(handle: bigint, use: (handle: bigint) => T): T | null {
  if (handle === 0n || handle === -1n) return null;
  try {
    return use(handle);
  } finally {
    win32.CloseHandle(handle);
  }
}

/** null: it ended, or these rights are denied. */
export const withProcess = <T>(pid: number, rights: number, use: (process: bigint) => T): T | null =>
  withHandle(win32.OpenProcess(rights, 0, pid), use);

/** PROCESS_QUERY_LIMITED_INFORMATION: also for most processes of other users. */
export const QUERY_LIMITED = 0x1000;

const { SHARED, OPEN_EXISTING } = { SHARED: 3, OPEN_EXISTING: 3 };

/** null: it does not exist, or these rights are denied. Queries of a driver need none. */
export const withDevice = <T>(device: string, rights: number, use: (device: bigint) => T): T | null =>
  withHandle(win32.CreateFileW(wide(device), rights, SHARED, 0, OPEN_EXISTING, 0, 0), use);
