import { dlopen, type FFIFunction, type Library, type Pointer, ptr } from 'bun:ffi';
import fs from 'node:fs';
import path from 'node:path';

export type { FFIFunction, Library, Pointer };

/**
 * The first of these libraries that is on this machine, null if none is. Names such as libnvidia-ml.so.1, which the
 * system looks for, or absolute paths. Throws when a library is there, but lacks one of the functions.
 */
export function openLibrary<const Functions extends Record<string, FFIFunction>>(
  names: string[],
  functions: Functions,
): Library<Functions> | null {
  for (const name of names) {
    // What the system does not find, Bun loads from the working directory, whoever may have put it there.
    if (!path.isAbsolute(name) && fs.existsSync(name)) continue;
    try {
      return dlopen(name, functions);
    } catch (error) {
      if (!isMissing(error)) throw new Error(`${name} cannot be used: ${String(error)}`, { cause: error });
    }
  }
  return null;
}

/** Memory that stays where it is as long as somebody holds it: a small typed array has no such place of its own. */
export function pinned(bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(new ArrayBuffer(bytes));
}

/** For native code; valid while the caller holds the memory. Asking for the buffer pins what was not pinned yet. */
export function address(memory: Uint8Array): Pointer {
  return ptr(memory.buffer, memory.byteOffset);
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED';
}
