import fs from 'node:fs';
import type { Environment } from '../environment.ts';
import type { Files } from './files.ts';

/** Known, or the reason why not, as a sentence that says how to mend it. */
export type Learned<T> = { value: T } | { value: null; reason: string };

/**
 * Who the machine is that is read. With HOSTLER_ROOT that is another one than this process lives in, as soon as a container has
 * namespaces of its own: the kernel answers every process about its own.
 */
export interface MachineIdentity {
  hostname(): Learned<string>;
  /** What the kernel says of names is about that machine. */
  sharesNames: boolean;
  /** What the kernel says of networks is about that machine. */
  sharesNetwork: boolean;
}

export function createMachineIdentity(files: Files, { hostname }: Pick<Environment, 'hostname'>): MachineIdentity {
  // Processes stay in their namespaces, and the first one of a machine is there for as long as it runs.
  const sharesNames = isOwnNamespace(files, 'uts');
  return {
    sharesNames,
    sharesNetwork: isOwnNamespace(files, 'net'),
    hostname() {
      if (sharesNames) return { value: hostname() };
      const written = hostnameFile(files);
      return written === null ? { value: null, reason: unnamed } : { value: written };
    },
  };
}

const unnamed =
  'The hostname of this process is not that of the machine at HOSTLER_ROOT, whose /etc/hostname cannot be read; mount that file as well, or give the container the hostname of the machine (--uts=host)';

/** Whether this process lives in the same one as the first process of the machine that is read. */
function isOwnNamespace(files: Files, kind: 'uts' | 'net'): boolean {
  return !files.moved('/proc') || files.link(`/proc/1/ns/${kind}`) === ownNamespace(kind);
}

function ownNamespace(kind: string): string | undefined {
  try {
    return fs.readlinkSync(`/proc/self/ns/${kind}`);
  } catch {
    return undefined;
  }
}

/** What the machine calls itself when it starts. An /etc that was not mounted from there is the container's. */
function hostnameFile(files: Files): string | null {
  const text = (files.moved('/etc') ? files.text('/etc/hostname') : null) ?? files.text('/proc/1/root/etc/hostname');
  // One line, and comments: https://www.freedesktop.org/software/systemd/man/latest/hostname.html
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  const name = lines.find((line) => line !== '' && !line.startsWith('#')) ?? '';
  return /^[a-z0-9._-]{1,64}$/i.test(name) ? name : null;
}
