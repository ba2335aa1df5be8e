import { address, copyFrom, pinned } from '../../ffi.ts';
import type { ProcessToken } from '../process-rights.ts';
import { QUERY_LIMITED, withProcess } from './handles.ts';
import { slot, wide } from './memory.ts';
import { openRegistry } from './registry.ts';
import { wideText } from './structs.ts';
import { win32 } from './win32.ts';

/** advapi32.dll: accounts and the registry. */
export type Advapi32 = ReturnType<typeof openAdvapi32>;

const TOKEN_QUERY = 8;
const TokenUser = 1;
const TokenElevationType = 18;
const TokenIntegrityLevel = 25;
const OWNER = 1;
const DACL = 4;
const PROTECTED_DACL = 0x80000000;
const SE_FILE_OBJECT = 1;
/** Characters, at most: S-1-, an authority and fifteen numbers. */
const longestSid = 184;

export function openAdvapi32() {
  const { sidText, ...users } = openUsers();
  return {
    ...openRegistry(),
    ...users,
    /** Gives this process a right that its user has, such as SeShutdownPrivilege; false: the call failed. */
    enablePrivilege(name: string): boolean {
      const [token, luid, privileges] = [slot(), slot(), pinned(16)];
      // TOKEN_QUERY and TOKEN_ADJUST_PRIVILEGES.
      if (!win32.OpenProcessToken(win32.GetCurrentProcess(), 0x28, token.place)) return false;
      // A TOKEN_PRIVILEGES with one entry: how many, its number, SE_PRIVILEGE_ENABLED.
      const view = new DataView(privileges.buffer);
      const found = win32.LookupPrivilegeValueW(0, wide(name), luid.place);
      view.setUint32(0, 1, true);
      view.setBigInt64(4, luid.i64(), true);
      view.setUint32(12, 2, true);
      const adjusted = found && win32.AdjustTokenPrivileges(token.i64(), 0, privileges, 0, 0, 0);
      win32.CloseHandle(token.i64());
      return adjusted !== 0;
    },
    /** Starts at once; false: it was refused, or has started already. */
    initiateShutdown: ({ restart, force }: { restart: boolean; force: boolean }) =>
      // SHTDN_REASON_FLAG_PLANNED.
      win32.InitiateSystemShutdownExW(0, 0, 0, force ? 1 : 0, restart ? 1 : 0, 0x80000000) !== 0,
    /** Sets the rights of a file or directory from a text in SDDL. */
    protect(file: string, sddl: string): boolean {
      const descriptor = slot();
      const convert = win32.ConvertStringSecurityDescriptorToSecurityDescriptorW;
      if (!convert(wide(sddl), 1, descriptor.place, 0)) return false;
      const done = win32.SetFileSecurityW(wide(file), (DACL | PROTECTED_DACL) >>> 0, descriptor.u64());
      win32.LocalFree(descriptor.u64());
      return done !== 0;
    },
    ownerSid(file: string): string | null {
      const [owner, descriptor] = [slot(), slot()];
      const getInfo = win32.GetNamedSecurityInfoW;
      if (getInfo(wide(file), SE_FILE_OBJECT, OWNER, owner.place, 0, 0, 0, descriptor.place) !== 0) return null;
      const text = sidText(owner.i64());
      win32.LocalFree(descriptor.u64());
      return text;
    },
  };
}

/** The users of processes. */
function openUsers() {
  const names = new Map<string, string | null>();

  const tokenInformation = (process: bigint, what: number): DataView | null => {
    const token = slot();
    if (!win32.OpenProcessToken(process, TOKEN_QUERY, token.place)) return null;
    const bytes = pinned(256);
    const found = win32.GetTokenInformation(token.i64(), what, address(bytes), bytes.length, slot().place);
    win32.CloseHandle(token.i64());
    return found ? new DataView(bytes.buffer) : null;
  };
  /** Calls `use` with the address of the identifier of the user of a process, or of its level. */
  const withSid = <T>(process: bigint, what: number, use: (sid: bigint) => T): T | null => {
    const found = tokenInformation(process, what);
    // A SID_AND_ATTRIBUTES: the pointer comes first.
    return found && use(found.getBigUint64(0, true));
  };
  const withUserOf = <T>(pid: number, use: (sid: bigint) => T): T | null =>
    withProcess(pid, QUERY_LIMITED, (handle) => withSid(handle, TokenUser, use));
  const sidText = (sid: bigint): string | null => {
    const text = slot();
    if (!win32.ConvertSidToStringSidW(sid, text.place)) return null;
    const found = wideText(copyFrom(text.u64(), 2 * longestSid));
    win32.LocalFree(text.u64());
    return found;
  };
  const accountOf = (sid: bigint): string | null => {
    const [name, domain] = [pinned(512), pinned(512)];
    const counts = [slot(256), slot(256), slot()] as const;
    const found = win32.LookupAccountSidW(0, sid, name, counts[0].place, domain, counts[1].place, counts[2].place);
    if (!found) return sidText(sid);
    return wideText(domain) === '' ? wideText(name) : `${wideText(domain)}\\${wideText(name)}`;
  };
  /** Cached: the lookup of a domain account is slow. */
  const cachedAccountOf = (sid: bigint): string | null => {
    const text = sidText(sid);
    if (text === null) return accountOf(sid);
    if (!names.has(text)) names.set(text, accountOf(sid));
    return names.get(text) ?? null;
  };

  return {
    sidText,
    /** `DOMAIN\name` of the user of a process; null: access was denied, or it ended. */
    processUser: (pid: number) => withUserOf(pid, cachedAccountOf),
    processSid: (pid: number) => withUserOf(pid, sidText),
    /** Security identifier of the user of this process, such as S-1-5-21-…-1001. */
    ownSid: () => withSid(win32.GetCurrentProcess(), TokenUser, sidText),
    /** null: access was denied, or it ended. */
    processToken: (pid: number): ProcessToken | null =>
      withProcess(pid, QUERY_LIMITED, (handle) => {
        const elevationType = tokenInformation(handle, TokenElevationType)?.getUint32(0, true);
        if (elevationType === undefined) return null;
        return { elevationType, integrity: withSid(handle, TokenIntegrityLevel, sidText) };
      }),
  };
}
