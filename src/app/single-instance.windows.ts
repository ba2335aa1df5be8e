import { systemLibrary } from '../host/windows/native/library.ts';
import { wide } from '../host/windows/native/memory.ts';

/** A name that one process at a time can hold. */
export interface Instance {
  /** Holds it until this process ends, however it ends; false: another one has it. */
  hold(name: string): boolean;
}

const { WAIT_OBJECT_0, WAIT_ABANDONED } = { WAIT_OBJECT_0: 0, WAIT_ABANDONED: 0x80 };

export function openInstance(): Instance {
  const { CreateMutexW, WaitForSingleObject, CloseHandle } = systemLibrary('kernel32.dll', {
    CreateMutexW: { args: ['u64', 'i32', 'ptr'], returns: 'u64' },
    WaitForSingleObject: { args: ['u64', 'u32'], returns: 'u32' },
    CloseHandle: { args: ['u64'], returns: 'i32' },
  });
  return {
    hold(name) {
      const mutex = CreateMutexW(0, 0, wide(name));
      // Somebody else's object of this name, which we may not even open: then the name is taken.
      if (mutex === 0n) return false;
      // Whether it is new could only be asked by GetLastError, which the runtime may have changed by then: so it is taken.
      const outcome = WaitForSingleObject(mutex, 0);
      if (outcome === WAIT_OBJECT_0 || outcome === WAIT_ABANDONED) return true;
      CloseHandle(mutex);
      return false;
    },
  };
}
