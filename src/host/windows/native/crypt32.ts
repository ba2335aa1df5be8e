import { address, copyFrom, pinned } from '../../ffi.ts';
import { wide } from './memory.ts';
import { defineStruct, filledStruct, readStruct } from './structs.ts';
import { win32 } from './win32.ts';

/** crypt32.dll: encryption for this user on this machine (DPAPI). null: Windows refused. */
export type Crypt32 = ReturnType<typeof openCrypt32>;

/** CRYPTPROTECT_UI_FORBIDDEN: there may be no user to answer a dialogue. */
const flags = 1;

export function openCrypt32() {
  const through = (bytes: Uint8Array, call: (from: Uint8Array, to: Uint8Array) => number) => {
    const [given, to] = [pinned(Math.max(1, bytes.length)), pinned(DATA_BLOB.size)];
    given.set(bytes);
    const from = filledStruct(DATA_BLOB, { cbData: bytes.length, pbData: address(given) });
    if (call(from, to) === 0) return null;
    const { cbData, pbData } = readStruct(DATA_BLOB, to);
    const result = copyFrom(pbData, cbData);
    win32.LocalFree(pbData);
    return result;
  };
  return {
    protect: (bytes: Uint8Array) =>
      through(bytes, (from, to) => win32.CryptProtectData(address(from), wide('Hostler'), 0, 0, 0, flags, address(to))),
    unprotect: (bytes: Uint8Array) =>
      through(bytes, (from, to) => win32.CryptUnprotectData(address(from), 0, 0, 0, 0, flags, address(to))),
  };
}

/** Bytes and where they are. https://learn.microsoft.com/windows/win32/api/dpapi/nf-dpapi-cryptprotectdata */
const DATA_BLOB = defineStruct('DATA_BLOB', 16, { cbData: [0, 'u32'], pbData: [8, 'pointer'] });
