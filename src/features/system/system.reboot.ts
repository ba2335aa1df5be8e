import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { findPendingReboot } from '../../host/linux/proc/pending-reboot.ts';

/** Whether a package asked for a restart, or another kernel is installed than runs. Why, says the module updates. */
export function readPendingReboot(host: Pick<LinuxHost, 'files' | 'environment'>, reasons: Reasons): boolean {
  const { required, seesKernels } = findPendingReboot(host);
  if (!required && !seesKernels) {
    reasons.inherent(
      'pending_reboot',
      'No installed kernel is visible here, so only restart requests from packages count',
    );
  }
  return required;
}
