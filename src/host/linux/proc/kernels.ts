import type { Files } from '../files.ts';

/** Releases of the installed kernels. Empty where none is visible, as in a container. */
export function installedKernels(files: Files): string[] {
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

export interface KernelName {
  /** The numeric parts. */
  version: number[];
  /** The other parts: architecture, rt, lts, cloud … Kernels of several flavours are installed in parallel. */
  flavour: string;
}

/** 6.1.0-13-amd64, 6.5.6-300.fc39.x86_64, 6.5.7-arch1-1, 6.4.0-150600.23.7-default … */
export function parseKernel(release: string): KernelName {
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
