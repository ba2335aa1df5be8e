import type { LinuxHost } from '../linux-host.ts';
import { installedKernels, isKernelOutdated } from './kernels.ts';

/** Whether the machine needs a restart, and why. */
export interface PendingReboot {
  required: boolean;
  /** Sentences without a full stop; empty when none is needed. */
  reasons: string[];
  /** Whether installed kernels are visible: if not, only the requests of packages count. */
  seesKernels: boolean;
}

export function findPendingReboot({ files, environment }: Pick<LinuxHost, 'files' | 'environment'>): PendingReboot {
  const reasons: string[] = [];
  if (requests.some((file) => files.exists(file))) reasons.push(askedBy(files));
  const kernel = outdatedKernel(files, environment.kernel);
  if (kernel !== null && kernel !== 'unseen') reasons.push(kernel);
  return { required: reasons.length > 0, reasons, seesKernels: kernel !== 'unseen' };
}

function askedBy(files: LinuxHost['files']): string {
  const text = packageFiles.map((file) => files.text(file)).find((found) => found !== null) ?? '';
  const names = [...new Set(text.split('\n').filter((line) => /^[\w.+:-]{1,100}$/.test(line)))].sort();
  if (names.length === 0) return 'An installed package asked for a restart';
  const shown = names.slice(0, mostNamed).join(', ');
  return `Asked for by ${shown}${names.length > mostNamed ? ` and ${names.length - mostNamed} more` : ''}`;
}

const mostNamed = 10;

/** A sentence; null: the newest one runs; or `unseen`. */
function outdatedKernel(files: LinuxHost['files'], running: string): string | null {
  // The kernel of a container is not its own, whatever is installed in it.
  const kernels = containerMarks.some((file) => files.exists(file)) ? [] : installedKernels(files);
  if (kernels.length > 0)
    return isKernelOutdated(running, kernels) ? `The kernel ${running} is running, and another one is installed` : null;
  // NixOS stores its kernels elsewhere, but links to the booted and to the current one.
  const booted = files.link('/run/booted-system/kernel');
  if (booted === null) return 'unseen';
  return booted === files.link('/run/current-system/kernel') ? null : 'The system was switched to another kernel';
}

/** Debian and its relatives have the first, openSUSE the last. */
const requests = ['/run/reboot-required', '/var/run/reboot-required', '/run/reboot-needed'];
const packageFiles = ['/run/reboot-required.pkgs', '/var/run/reboot-required.pkgs'];
const containerMarks = ['/run/systemd/container', '/run/.containerenv', '/.dockerenv'];
