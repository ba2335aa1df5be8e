import fs from 'node:fs';
import { address } from '../../../host/ffi.ts';
import { openLibc } from '../../../host/linux/libc.ts';

const MFD_CLOEXEC = 1;

/** Memory that has a descriptor and no name: it can be handed to others, and is gone with the last of them. Close it. */
export function createPictureMemory(bytes: number): number {
  const libc = openLibc({ memfd_create: { args: ['ptr', 'u32'], returns: 'i32' } });
  const name = new Uint8Array(Buffer.from('hostler-picture\0'));
  const descriptor = libc.memfd_create(address(name), MFD_CLOEXEC);
  if (descriptor < 0) throw new Error('the system gives no memory for a picture');
  try {
    fs.ftruncateSync(descriptor, bytes);
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
  return descriptor;
}
