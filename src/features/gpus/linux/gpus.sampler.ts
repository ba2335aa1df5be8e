import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { hasNvidiaDriver } from './nvidia-driver.ts';

/** Loads the module and the NVIDIA library only if there is a GPU to read. */
export function hasGpuLinux({ files }: LinuxHost): boolean {
  return hasNvidiaDriver(files) || files.entries('/sys/class/drm').some((name) => /^card\d+$/.test(name));
}
