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

/** A function of ours that native code can call, on this thread only; it stays as long as the process. */
export function callableFromNative(
  definition: FFIFunction,
  called: (...args: (number | bigint)[]) => number | bigint,
): number {
  const callback = new JSCallback(called, definition);
  callbacks.add(callback);
  return Number(callback.ptr);
}

/** What native code may call must not be collected. */
const callbacks = new Set<JSCallback>();

/** A number that native code keeps, at a place it has told. */
export function readU32(place: Pointer, offset = 0): number {
  return read.u32(place, offset);
}

/** A copy of what native code keeps at an address it has told. */
export function copyFrom(place: number, bytes: number): Uint8Array<ArrayBuffer> {
  // An address is a number in both worlds; only the type of the runtime knows a difference.
  return new Uint8Array(bytes === 0 ? new ArrayBuffer(0) : toArrayBuffer(place as Pointer, 0, bytes).slice(0));
}

/** Memory of native code itself, to write into. */
export function memoryAt(place: number, bytes: number): Uint8Array<ArrayBuffer> {
  return new Uint8Array(toArrayBuffer(place as Pointer, 0, bytes));
}

/** The address as a number, to tell where pointers in that memory lead. */
export function addressOf(memory: Uint8Array): number {
  return address(memory);
}

/** A function of which only the address is known, such as a method of an object. */
export function functionAt(place: number, definition: FFIFunction): (...args: unknown[]) => unknown {
  const call = CFunction({ ...definition, ptr: place as Pointer });
  return (...args) => Reflect.apply(call, undefined, args);
}

/**
 * Hears what arrives on a socket that native code opened, by the runtime's own event loop: neither a thread nor a timer.
 * Takes the descriptor over. `closed` is called once if it ends by itself; returns the way to stop.
 */
export async function followSocket(
  descriptor: number,
  heard: (bytes: Uint8Array) => void,
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
        heard(bytes);
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
    // The declaration of connect leaves this kind out, though it has a type of its own; node:net would add 4 MB around it.
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
 * The same for what is followed all day long: read as a stream, it leaves the process asleep, while a socket of the runtime
 * wakes it once a second. What arrives together is heard together.
 */
export function followStream(
  descriptor: number,
  heard: (bytes: Uint8Array) => void,
  closed: (problem: string) => void,
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
        const { value, done } = await reader.read();
        if (!isOpen) return;
        if (done) break;
        heard(value);
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
