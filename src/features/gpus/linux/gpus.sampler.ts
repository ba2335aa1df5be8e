import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { hasNvidiaDriver } from './nvidia-driver.ts';

/** The module itself, and the library it may need, are loaded only where there is something to ask. */
export function hasGpuLinux({ files }: LinuxHost): boolean {
  return hasNvidiaDriver(files) || files.entries('/sys/class/drm').some((name) => /^card\d+$/.test(name));
}
