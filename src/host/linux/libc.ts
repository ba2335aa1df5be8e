import { type FFIFunction, type Library, openLibrary } from '../ffi.ts';

/** Of GNU and of musl, on either architecture. */
const names = ['libc.so.6', 'libc.musl-x86_64.so.1', 'libc.musl-aarch64.so.1'];

/** Functions of the C library. Throws without one. */
export function openLibc<const Functions extends Record<string, FFIFunction>>(
  functions: Functions,
): Library<Functions>['symbols'] {
  const library = openLibrary(names, functions);
  if (library === null) throw new Error('There is no C library (libc.so.6)');
  return library.symbols;
}
