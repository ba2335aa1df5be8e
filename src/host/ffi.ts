import {
  CFunction,
  dlopen,
  type FFIFunction,
  JSCallback,
  type Library,
  type Pointer,
  ptr,
  read,
  toArrayBuffer,
} from 'bun:ffi';
import fs from 'node:fs';
import path from 'node:path';

export type { FFIFunction, Library, Pointer };

/**
 * The first of these libraries that is installed, null if none is. Names such as libnvidia-ml.so.1, which the
 * system searches for, or absolute paths. Throws when a library lacks one of the functions.
 */
export function openLibrary<const Functions extends Record<string, FFIFunction>>(
  names: string[],
  functions: Functions,
): Library<Functions> | null {
  for (const name of names) {
    // If the system does not find a library, Bun loads it from the working directory, which is not trusted.
    if (!path.isAbsolute(name) && fs.existsSync(name)) continue;
    try {
      return dlopen(name, functions);
    } catch (error) {
      if (!isMissing(error)) throw new Error(`${name} cannot be used: ${String(error)}`, { cause: error });
    }
  }
  return null;
}

/** The type of the result, then those of the arguments, as in C. */
type Signature = readonly [result: NativeType, ...args: NativeType[]];
type NativeType = NonNullable<FFIFunction['returns']>;
type Merged<Tables> = (Tables extends unknown ? (table: Tables) => void : never) extends (all: infer All) => void
  ? All
  : never;
type Bound<Table> = Library<{
  [N in keyof Table]: Table[N] extends readonly [infer R extends NativeType, ...infer A extends NativeType[]]
    ? { returns: R; args: A }
    : never;
}>['symbols'];

/**
 * The functions of libraries in tables by the name of the library, whose places are tried in order. Each is bound on its first use: that takes time,
 * and some systems lack some of them.
 */
export function bindOnUse<const Tables extends Record<string, Record<string, Signature>>>(
  tables: Tables,
  placesOf: (library: string) => string[],
): Bound<Merged<Tables[keyof Tables]>> {
  const functions = {};
  for (const [library, table] of Object.entries(tables))
    for (const [name, [returns, ...args]] of Object.entries(table)) {
      const get = () => {
        const bound = openLibrary(placesOf(library), { [name]: { returns, args } });
        if (bound === null) throw new Error(`${library} cannot be loaded`);
        const value = bound.symbols[name];
        Object.defineProperty(functions, name, { value });
        return value;
      };
      Object.defineProperty(functions, name, { configurable: true, get });
    }
  return functions as Bound<Merged<Tables[keyof Tables]>>;
}

/** Memory whose address is stable while it is referenced; the runtime may move a small typed array. */
export const pinned = (bytes: number): Uint8Array<ArrayBuffer> => new Uint8Array(new ArrayBuffer(bytes));

/** For native code; valid while the caller references the memory. Accessing the buffer pins an unpinned array. */
export const address = (memory: Uint8Array): Pointer => ptr(memory.buffer, memory.byteOffset);

/** A function of ours that native code can call, on this thread only; it is never released. */
export function callableFromNative(
  definition: FFIFunction,
  called: (...args: (number | bigint)[]) => number | bigint,
): number {
  const callback = new JSCallback(called, definition);
  callbacks.add(callback);
  return Number(callback.ptr);
}

/** Keeps callbacks of native code from being collected. */
const callbacks = new Set<JSCallback>();

export const readU32 = (place: Pointer, offset = 0): number => read.u32(place, offset);

/** A copy of native memory. */
export function copyFrom(place: number, bytes: number): Uint8Array<ArrayBuffer> {
  // An address is a number; only the type of the runtime differs.
  return new Uint8Array(bytes === 0 ? new ArrayBuffer(0) : toArrayBuffer(place as Pointer, 0, bytes).slice(0));
}

/** Memory of native code itself, to write into. */
export function memoryAt(place: number, bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(toArrayBuffer(place as Pointer, 0, bytes));
}

/** The address as a number, to resolve pointers into that memory. */
export const addressOf = (memory: Uint8Array): number => address(memory);

/** A function of which only the address is known, such as a method of an object. */
export function functionAt(place: number, definition: FFIFunction): (...args: unknown[]) => unknown {
  const call = CFunction({ ...definition, ptr: place as Pointer });
  return (...args) => Reflect.apply(call, undefined, args);
}

/**
 * Reads messages from a socket that native code opened, in the runtime's event loop: neither a thread nor a timer.
 * Takes ownership of the descriptor. `closed` is called once if it ends unexpectedly; returns the function that stops.
 */
export async function followSocket(
  descriptor: number,
  received: (bytes: Uint8Array) => void,
  closed: (problem: string) => void,
): Promise<() => void> {
  let stopped = false;
  const ended = (problem: string) => {
    if (!stopped) closed(problem);
    stopped = true;
  };
  const handlers: Bun.SocketHandler = {
    data(socket, bytes) {
      try {
        received(bytes);
      } catch (error) {
        ended(String(error));
        socket.terminate();
      }
    },
    error: (_socket, error) => ended(error.message),
    close: (_socket, error) => ended(error?.message ?? 'it was closed'),
  };
  const options: Bun.FdSocketOptions = { fd: descriptor, socket: handlers };
  try {
    // The declaration of connect omits this kind, though it has its own type; node:net would cost 4 MB.
    const socket = await Bun.connect(options as unknown as Bun.UnixSocketOptions);
    return () => {
      stopped = true;
      socket.terminate();
    };
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
}

/**
 * The same for long-lived subscriptions: as a stream it leaves the process asleep, while a socket of the runtime
 * wakes it once a second. Messages that arrive together are passed on together. `paused` is called before each read, which
 * waits for the returned promise; null: it does not wait.
 */
export function followStream(
  descriptor: number,
  received: (bytes: Uint8Array) => void,
  closed: (problem: string) => void,
  paused: () => Promise<void> | null = () => null,
): () => void {
  const reader = Bun.file(descriptor).stream().getReader();
  let isOpen = true;
  const close = () => {
    if (!isOpen) return false;
    isOpen = false;
    reader.cancel().catch(() => {});
    fs.closeSync(descriptor);
    return true;
  };
  const read = async () => {
    let problem = 'it was closed';
    try {
      for (;;) {
        for (let pause = paused(); pause !== null; pause = paused()) await pause;
        if (!isOpen) return;
        const { value, done } = await reader.read();
        if (!isOpen) return;
        if (done) break;
        received(value);
      }
    } catch (error) {
      problem = String(error);
    }
    if (close()) closed(problem);
  };
  void read();
  return () => void close();
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_DLOPEN_FAILED';
}
