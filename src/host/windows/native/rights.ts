import { slot, textAt, wide } from './memory.ts';
import { win32 } from './win32.ts';

/** advapi32.dll: owners and permissions. null: not reported by Windows. */
export type Rights = ReturnType<typeof openRights>;

const { OWNER, DACL, SE_FILE_OBJECT, SE_KERNEL_OBJECT } = { OWNER: 1, DACL: 4, SE_FILE_OBJECT: 1, SE_KERNEL_OBJECT: 6 };
/** READ_CONTROL; OPEN_EXISTING; SECURITY_SQOS_PRESENT with SECURITY_ANONYMOUS, so that the server cannot impersonate us. */
const { READ_CONTROL, OPEN_EXISTING, ANONYMOUS } = { READ_CONTROL: 0x20000, OPEN_EXISTING: 3, ANONYMOUS: 0x100000 };

export function openRights() {
  const taken = (place: number) => {
    const text = textAt(place);
    win32.LocalFree(place);
    return text;
  };
  return {
    /** Owner and rights of a file or directory as SDDL, such as `O:BAD:PAI(A;;FA;;;SY)`. */
    descriptor(file: string): string | null {
      const [descriptor, text] = [slot(), slot()];
      const ask = win32.GetNamedSecurityInfoW;
      if (ask(wide(file), SE_FILE_OBJECT, OWNER | DACL, null, 0, 0, 0, descriptor.place) !== 0) return null;
      const convert = win32.ConvertSecurityDescriptorToStringSecurityDescriptorW;
      const done = convert(descriptor.i64(), 1, OWNER | DACL, text.place, 0);
      win32.LocalFree(descriptor.i64());
      return done === 0 ? null : taken(text.u64());
    },
    /**
     * The owner of a pipe, as a security identifier (null: none, as under Wine), and its server process. The pipe is opened for that,
     * without allowing impersonation.
     */
    pipeOwner(pipe: string): { owner: string | null; process: number } | null {
      const handle = win32.CreateFileW(wide(pipe), READ_CONTROL, 0, 0, OPEN_EXISTING, ANONYMOUS, 0);
      if (handle === -1n) return null;
      const [owner, descriptor, text, process] = [slot(), slot(), slot(), slot()];
      const status = win32.GetSecurityInfo(handle, SE_KERNEL_OBJECT, OWNER, owner.place, 0, 0, 0, descriptor.place);
      const served = win32.GetNamedPipeServerProcessId(handle, process.place);
      win32.CloseHandle(handle);
      const isNamed = status === 0 && owner.i64() !== 0n;
      const hasText = isNamed && win32.ConvertSidToStringSidW(owner.i64(), text.place) !== 0;
      if (status === 0) win32.LocalFree(descriptor.i64());
      return { owner: hasText ? taken(text.u64()) : null, process: served === 0 ? 0 : process.u32() };
    },
  };
}
