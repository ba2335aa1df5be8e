import fs from 'node:fs';
import type { Environment } from '../environment.ts';
import type { Files } from './files.ts';

/** Known, or the reason why not, as a sentence that says how to fix it. */
export type Learned<T> = { value: T } | { value: null; reason: string };

/**
 * The identity of the machine that is read. With HOSTLER_ROOT it differs from that of this process, as soon as a container has
 * its own namespaces: the kernel answers for the namespaces of the calling process.
 */
export type MachineIdentity = ReturnType<typeof createMachineIdentity>;

export function createMachineIdentity(files: Files, { hostname }: Pick<Environment, 'hostname'>) {
  // Processes stay in their namespaces, and the first process of a machine never ends.
  const sharesNames = isOwnNamespace(files, 'uts');
  return {
    /** The kernel's host name is that of the machine. */
    sharesNames,
    /** The kernel's network is that of the machine. */
    sharesNetwork: isOwnNamespace(files, 'net'),
    hostname(): Learned<string> {
      if (sharesNames) return { value: hostname() };
      const written = hostnameFile(files);
      return written === null ? { value: null, reason: unnamed } : { value: written };
    },
  };
}

const unnamed =
  'The hostname of this process is not that of the machine at HOSTLER_ROOT, whose /etc/hostname cannot be read; mount that file as well, or give the container the hostname of the machine (--uts=host)';

/** Whether this process shares this namespace with the first process of the machine that is read. */
export function isOwnNamespace(files: Files, kind: 'uts' | 'net'): boolean {
  return !files.moved('/proc') || files.link(`/proc/1/ns/${kind}`) === ownNamespace(kind);
}

function ownNamespace(kind: string): string | undefined {
  try {
    return fs.readlinkSync(`/proc/self/ns/${kind}`);
  } catch {
    return undefined;
  }
}

/** The configured host name. An /etc that was not mounted from the machine is the container's. */
function hostnameFile(files: Files): string | null {
  const text = (files.moved('/etc') ? files.text('/etc/hostname') : null) ?? files.text('/proc/1/root/etc/hostname');
  // One line, and comments: https://www.freedesktop.org/software/systemd/man/latest/hostname.html
  const lines = (text ?? '').split('\n').map((line) => line.trim());
  const name = lines.find((line) => line !== '' && !line.startsWith('#')) ?? '';
  return /^[a-z0-9._-]{1,64}$/i.test(name) ? name : null;
}
