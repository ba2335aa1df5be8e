import type { Files } from '../../../host/linux/files.ts';

/** Where no driver is loaded, opening the library would load it, and wake a GPU that was switched off. */
export function hasNvidiaDriver(files: Files): boolean {
  return ['/proc/driver/nvidia', '/dev/nvidiactl', '/dev/dxg'].some(files.exists);
}
