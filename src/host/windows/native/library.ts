import path from 'node:path';
import { type FFIFunction, type Library, openLibrary } from '../../ffi.ts';

/**
 * A system library by its absolute path: no file beside the program or in the working directory
 * can replace it.
 */
export function systemLibrary<const Functions extends Record<string, FFIFunction>>(
  name: string,
  functions: Functions,
): Library<Functions>['symbols'] {
  const file = path.win32.join(process.env.SystemRoot ?? 'C:\\Windows', 'System32', name);
  const library = openLibrary([file], functions);
  if (library === null) throw new Error(`${file} cannot be loaded`);
  return library.symbols;
}
