import type { Files } from '../../../host/linux/files.ts';

/** Without a loaded driver, opening the library would load it and wake a GPU that was switched off. */
export function hasNvidiaDriver(files: Files): boolean {
  return ['/proc/driver/nvidia', '/dev/nvidiactl', '/dev/dxg'].some(files.exists);
}
