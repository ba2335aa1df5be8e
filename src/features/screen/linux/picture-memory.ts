import fs from 'node:fs';
import { address } from '../../../host/ffi.ts';
import { libc } from '../../../host/linux/libc.ts';

const MFD_CLOEXEC = 1;

/** An anonymous memory file: it can be passed on and is freed with its last descriptor. The caller closes it. */
export function createPictureMemory(bytes: number): number {
  const name = new Uint8Array(Buffer.from('hostler-picture\0'));
  const descriptor = libc.memfd_create(address(name), MFD_CLOEXEC);
  if (descriptor < 0) throw new Error('the system provides no memory for a picture');
  try {
    fs.ftruncateSync(descriptor, bytes);
  } catch (error) {
    fs.closeSync(descriptor);
    throw error;
  }
  return descriptor;
}
