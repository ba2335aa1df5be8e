import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { installedKernels, isKernelOutdated } from '../../../host/linux/proc/kernels.ts';

/** Whether a package asked for a restart, or another kernel is installed than runs. */
export function readPendingReboot(
  { files, environment }: Pick<LinuxHost, 'files' | 'environment'>,
  reasons: Reasons,
): boolean {
  if (requests.some((file) => files.exists(file))) return true;
  // The kernel of a container is not its own, whatever is installed in it.
  const kernels = containerMarks.some((file) => files.exists(file)) ? [] : installedKernels(files);
  if (kernels.length > 0) return isKernelOutdated(environment.kernel, kernels);
  // NixOS keeps its kernels elsewhere, but links to the booted and to the current one.
  const booted = files.link('/run/booted-system/kernel');
  if (booted !== null) return booted !== files.link('/run/current-system/kernel');
  reasons.inherent(
    'pending_reboot',
    'No installed kernel is visible here, so only restart requests from packages count',
  );
  return false;
}

/** Debian and its relatives have the first, openSUSE the last. */
const requests = ['/run/reboot-required', '/var/run/reboot-required', '/run/reboot-needed'];
const containerMarks = ['/run/systemd/container', '/run/.containerenv', '/.dockerenv'];
