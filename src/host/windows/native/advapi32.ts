import { address, copyFrom, pinned } from '../../ffi.ts';
import { systemLibrary } from './library.ts';
import { slot, wide } from './memory.ts';
import { wideText } from './structs.ts';

/** advapi32.dll: accounts and the registry. */
export interface Advapi32 {
  /** `DOMAIN\name` of who runs a process; null: we may not know, or it ended. */
  processUser(pid: number): string | null;
  /** The same as a security identifier. */
  processSid(pid: number): string | null;
  /** Text or number of a value; null: there is none. Of a list of texts the first. */
  value(root: RegistryRoot, key: string, name: string): string | number | null;
  /** Numbers of 64 bits, such as times. */
  bigValue(root: RegistryRoot, key: string, name: string): number | null;
  hasKey(root: RegistryRoot, key: string): boolean;
  /** Names of the keys below a key. */
  keys(root: RegistryRoot, key: string): string[];
  /** Text under a name of a key, which is made if there is none; false: it was refused. */
  setText(root: RegistryRoot, key: string, name: string, text: string): boolean;
  removeValue(root: RegistryRoot, key: string, name: string): boolean;
  /** Gives this process a right that its user has, such as SeShutdownPrivilege; false: the call failed. */
  enablePrivilege(name: string): boolean;
  /** Begins at once; false: it was refused, or has begun already. */
  initiateShutdown(options: { restart: boolean; force: boolean }): boolean;
  /** Security identifier of the user this runs as, such as S-1-5-21-…-1001. */
  ownSid(): string | null;
  /** Gives a file or directory the rights that an SDDL text describes. */
  protect(file: string, sddl: string): boolean;
  /** Owner of a file as a security identifier. */
  ownerSid(file: string): string | null;
}

export type RegistryRoot = 'HKLM' | 'HKCU';

const roots: Record<RegistryRoot, bigint> = { HKLM: 0xffffffff80000002n, HKCU: 0xffffffff80000001n };
/** KEY_READ and KEY_WOW64_64KEY. */
const reading = 0x20119;
const { RRF_RT_ANY, RRF_SUBKEY_WOW6464KEY } = { RRF_RT_ANY: 0xffff, RRF_SUBKEY_WOW6464KEY: 0x10000 };
const { REG_DWORD, REG_QWORD, REG_SZ } = { REG_DWORD: 4, REG_QWORD: 11, REG_SZ: 1 };
const longestValue = 65_536;
const { TOKEN_QUERY, TokenUser } = { TOKEN_QUERY: 8, TokenUser: 1 };
const { OWNER, DACL, PROTECTED_DACL, SE_FILE_OBJECT } = {
  OWNER: 1,
  DACL: 4,
  PROTECTED_DACL: 0x80000000,
  SE_FILE_OBJECT: 1,
};

export function openAdvapi32(): Advapi32 {
  const functions = systemLibrary('advapi32.dll', {
    OpenProcessToken: { args: ['u64', 'u32', 'ptr'], returns: 'i32' },
    GetTokenInformation: { args: ['u64', 'u32', 'ptr', 'u32', 'ptr'], returns: 'i32' },
    LookupAccountSidW: { args: ['u64', 'u64', 'ptr', 'ptr', 'ptr', 'ptr', 'ptr'], returns: 'i32' },
    ConvertSidToStringSidW: { args: ['u64', 'ptr'], returns: 'i32' },
    ConvertStringSecurityDescriptorToSecurityDescriptorW: { args: ['ptr', 'u32', 'ptr', 'u64'], returns: 'i32' },
    SetFileSecurityW: { args: ['ptr', 'u32', 'u64'], returns: 'i32' },
    GetNamedSecurityInfoW: { args: ['ptr', 'u32', 'u32', 'ptr', 'u64', 'u64', 'u64', 'ptr'], returns: 'u32' },
    LookupPrivilegeValueW: { args: ['u64', 'ptr', 'ptr'], returns: 'i32' },
    AdjustTokenPrivileges: { args: ['u64', 'i32', 'ptr', 'u32', 'u64', 'u64'], returns: 'i32' },
    InitiateSystemShutdownExW: { args: ['u64', 'u64', 'u32', 'i32', 'i32', 'u32'], returns: 'i32' },
    RegGetValueW: { args: ['u64', 'ptr', 'ptr', 'u32', 'ptr', 'ptr', 'ptr'], returns: 'i32' },
    RegOpenKeyExW: { args: ['u64', 'ptr', 'u32', 'u32', 'ptr'], returns: 'i32' },
    RegCreateKeyExW: { args: ['u64', 'ptr', 'u32', 'u64', 'u32', 'u32', 'u64', 'ptr', 'u64'], returns: 'i32' },
    RegSetValueExW: { args: ['u64', 'ptr', 'u32', 'u32', 'ptr', 'u32'], returns: 'i32' },
    RegDeleteKeyValueW: { args: ['u64', 'ptr', 'ptr'], returns: 'i32' },
    RegEnumKeyExW: { args: ['u64', 'u32', 'ptr', 'ptr', 'u64', 'u64', 'u64', 'u64'], returns: 'i32' },
    RegCloseKey: { args: ['u64'], returns: 'i32' },
  });
  const { OpenProcess, GetCurrentProcess, CloseHandle, LocalFree } = systemLibrary('kernel32.dll', {
    OpenProcess: { args: ['u32', 'i32', 'u32'], returns: 'u64' },
    GetCurrentProcess: { args: [], returns: 'u64' },
    CloseHandle: { args: ['u64'], returns: 'i32' },
    LocalFree: { args: ['u64'], returns: 'u64' },
  });

  /** The user a process runs as, by what `use` makes of the address of the identifier. */
  const withUser = <T>(process: bigint, use: (sid: bigint) => T): T | null => {
    const token = slot();
    if (!functions.OpenProcessToken(process, TOKEN_QUERY, token.place)) return null;
    const user = pinned(256);
    const told = functions.GetTokenInformation(token.i64(), TokenUser, address(user), user.length, slot().place);
    CloseHandle(token.i64());
    // A SID_AND_ATTRIBUTES: the pointer comes first.
    return told ? use(new DataView(user.buffer).getBigUint64(0, true)) : null;
  };
  const sidText = (sid: bigint): string | null => {
    const text = slot();
    if (!functions.ConvertSidToStringSidW(sid, text.place)) return null;
    const found = wideText(copyFrom(text.u64(), 2 * longestSid));
    LocalFree(text.u64());
    return found;
  };
  const names = new Map<string, string | null>();
  const accountOf = (sid: bigint): string | null => {
    const [name, domain] = [pinned(512), pinned(512)];
    const counts = [slot(256), slot(256), slot()] as const;
    const found = functions.LookupAccountSidW(0, sid, name, counts[0].place, domain, counts[1].place, counts[2].place);
    if (!found) return sidText(sid);
    return wideText(domain) === '' ? wideText(name) : `${wideText(domain)}\\${wideText(name)}`;
  };
  const value = (root: RegistryRoot, key: string, name: string) => {
    const [bytes, kind, size] = [pinned(longestValue), slot(), slot(longestValue)];
    const flags = RRF_RT_ANY | RRF_SUBKEY_WOW6464KEY;
    const status = functions.RegGetValueW(roots[root], wide(key), wide(name), flags, kind.place, bytes, size.place);
    return status === 0 ? { kind: kind.u32(), bytes: bytes.subarray(0, size.u32()) } : null;
  };

  return {
    processUser(pid) {
      const handle = OpenProcess(0x1000, 0, pid);
      if (handle === 0n) return null;
      try {
        return withUser(handle, (sid) => {
          const text = sidText(sid);
          if (text === null) return accountOf(sid);
          // Asking a domain takes its time.
          if (!names.has(text)) names.set(text, accountOf(sid));
          return names.get(text) ?? null;
        });
      } finally {
        CloseHandle(handle);
      }
    },
    processSid(pid) {
      const handle = OpenProcess(0x1000, 0, pid);
      if (handle === 0n) return null;
      try {
        return withUser(handle, sidText);
      } finally {
        CloseHandle(handle);
      }
    },
    value(root, key, name) {
      const found = value(root, key, name);
      if (found === null) return null;
      return found.kind === REG_DWORD ? new DataView(found.bytes.buffer).getUint32(0, true) : wideText(found.bytes);
    },
    bigValue(root, key, name) {
      const found = value(root, key, name);
      return found?.kind === REG_QWORD ? Number(new DataView(found.bytes.buffer).getBigUint64(0, true)) : null;
    },
    hasKey(root, key) {
      const handle = slot();
      if (functions.RegOpenKeyExW(roots[root], wide(key), 0, reading, handle.place) !== 0) return false;
      functions.RegCloseKey(handle.i64());
      return true;
    },
    keys(root, key) {
      const handle = slot();
      if (functions.RegOpenKeyExW(roots[root], wide(key), 0, reading, handle.place) !== 0) return [];
      const found: string[] = [];
      const name = pinned(512);
      while (functions.RegEnumKeyExW(handle.i64(), found.length, name, slot(256).place, 0, 0, 0, 0) === 0)
        found.push(wideText(name));
      functions.RegCloseKey(handle.i64());
      return found;
    },
    setText(root, key, name, text) {
      const handle = slot();
      const access = reading | 0x2;
      if (functions.RegCreateKeyExW(roots[root], wide(key), 0, 0, 0, access, 0, handle.place, 0) !== 0) return false;
      const bytes = wide(text);
      const status = functions.RegSetValueExW(handle.i64(), wide(name), 0, REG_SZ, bytes, bytes.length);
      functions.RegCloseKey(handle.i64());
      return status === 0;
    },
    removeValue: (root, key, name) => functions.RegDeleteKeyValueW(roots[root], wide(key), wide(name)) === 0,
    enablePrivilege(name) {
      const [token, luid, privileges] = [slot(), slot(), pinned(16)];
      // TOKEN_QUERY and TOKEN_ADJUST_PRIVILEGES.
      if (!functions.OpenProcessToken(GetCurrentProcess(), 0x28, token.place)) return false;
      // A TOKEN_PRIVILEGES with one entry: how many, its number, SE_PRIVILEGE_ENABLED.
      const view = new DataView(privileges.buffer);
      const found = functions.LookupPrivilegeValueW(0, wide(name), luid.place);
      view.setUint32(0, 1, true);
      view.setBigInt64(4, luid.i64(), true);
      view.setUint32(12, 2, true);
      const adjusted = found && functions.AdjustTokenPrivileges(token.i64(), 0, privileges, 0, 0, 0);
      CloseHandle(token.i64());
      return adjusted !== 0;
    },
    initiateShutdown: ({ restart, force }) =>
      // SHTDN_REASON_FLAG_PLANNED.
      functions.InitiateSystemShutdownExW(0, 0, 0, force ? 1 : 0, restart ? 1 : 0, 0x80000000) !== 0,
    ownSid: () => withUser(GetCurrentProcess(), sidText),
    protect(file, sddl) {
      const descriptor = slot();
      const convert = functions.ConvertStringSecurityDescriptorToSecurityDescriptorW;
      if (!convert(wide(sddl), 1, descriptor.place, 0)) return false;
      const done = functions.SetFileSecurityW(wide(file), (DACL | PROTECTED_DACL) >>> 0, descriptor.u64());
      LocalFree(descriptor.u64());
      return done !== 0;
    },
    ownerSid(file) {
      const [owner, descriptor] = [slot(), slot()];
      const ask = functions.GetNamedSecurityInfoW;
      if (ask(wide(file), SE_FILE_OBJECT, OWNER, owner.place, 0, 0, 0, descriptor.place) !== 0) return null;
      const text = sidText(owner.i64());
      LocalFree(descriptor.u64());
      return text;
    },
  };
}

/** Characters, at most: S-1-, an authority and fifteen numbers. */
const longestSid = 184;
