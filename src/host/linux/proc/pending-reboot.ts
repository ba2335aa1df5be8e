import type { Files } from '../files.ts';
import type { LinuxHost } from '../linux-host.ts';

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

/** Releases of the installed kernels. Empty where none is visible, as in a container. */
function installedKernels(files: Files): string[] {
  const releases = new Set(moduleDirectories.flatMap((directory) => files.list(directory)));
  const booted = new Set(files.list('/boot').flatMap((name) => imageName.exec(name)?.[1] ?? []));
  const holds = (release: string, names: string[]) =>
    moduleDirectories.some((directory) => names.some((name) => files.exists(`${directory}/${release}/${name}`)));
  const withImage = [...releases].filter((release) => booted.has(release) || holds(release, imagesInside));
  // A removed kernel may leave its directory with modules built for it. Modules count only where no image is visible.
  return withImage.length > 0 ? withImage : [...releases].filter((release) => holds(release, ['modules.dep']));
}

const moduleDirectories = ['/lib/modules', '/usr/lib/modules'];
const imageName = /^(?:vmlinuz|vmlinux|Image|image|zImage|kernel)-(.+)$/;
const imagesInside = ['vmlinuz', 'Image', 'image', 'zImage'];

/** Whether the next boot would use another kernel: a newer one of the same flavour, or a replacement of a removed one. */
export function isKernelOutdated(running: string, installed: string[]): boolean {
  const current = parseKernel(running);
  const alike = installed.filter((release) => parseKernel(release).flavour === current.flavour);
  if (alike.length > 0 && !alike.includes(running)) return true;
  return alike.some((release) => compareVersions(parseKernel(release).version, current.version) > 0);
}

/**
 * 6.1.0-13-amd64, 6.5.6-300.fc39.x86_64, 6.5.7-arch1-1, 6.4.0-150600.23.7-default … The flavour is the other parts than the numbers:
 * architecture, rt, lts, cloud … Kernels of several flavours are installed in parallel.
 */
export function parseKernel(release: string) {
  const version: number[] = [];
  const flavour: string[] = [];
  // The Raspberry Pi names its boards by number: rpi-2712 is one flavour.
  for (const part of release.replace(/rpi-(\d+)$/, 'rpi_$1').split(/[-+.~]/)) {
    const tagged = distributionTag.exec(part);
    if (/^\d/.test(part)) version.push(...numbersIn(part));
    else if (/^rc\d+$/.test(part)) version.push(-1, ...numbersIn(part));
    else if (tagged !== null) {
      version.push(...numbersIn(part));
      flavour.push(tagged[1] ?? '');
    } else if (buildTag.test(part)) {
      version.push(...numbersIn(part));
      flavour.push(part.replace(/\d+$/, ''));
    } else flavour.push(part);
  }
  return { version, flavour: flavour.filter((part) => part !== '').join('-') };
}

/** The release of the distribution, which changes with an upgrade of it; Oracle's el9uek is another kernel than el9. */
const distributionTag = /^(?:deb|bpo|fc|el|amzn|mga|lp)\d+(?:_\d+)*([a-z]*)$/;
/** A patch set with its own count. */
const buildTag = /^(?:arch|zen|hardened|realtime|rt|cachyos|xanmod|lqx|tkg)\d+$/;

const numbersIn = (text: string) => (text.match(/\d+/g) ?? []).map(Number);

function compareVersions(a: number[], b: number[]): number {
  for (let at = 0; at < Math.max(a.length, b.length); at += 1) {
    const difference = (a[at] ?? 0) - (b[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
