import type { Dbus } from '@hostler/dbus/dbus.ts';
import type { Host } from '../host.ts';
import type { DesktopSession } from './desktop/desktop-session.ts';
import type { Files } from './files.ts';
import type { LinuxEnvironment } from './linux-environment.ts';
import type { MachineIdentity } from './machine-identity.ts';
import type { LoadNetlink } from './net/netlink.ts';
import type { ProcessClock } from './proc/process-clock.ts';

/** The parts of a Linux machine besides those of every machine. */
export interface LinuxHost extends Host {
  platform: 'linux';
  environment: LinuxEnvironment;
  /** Name and addresses of the machine that `files` show. */
  identity: MachineIdentity;
  /** /proc, /sys, /dev, /etc and the like, from wherever they are mounted. */
  files: Files;
  /** The real path of a file of the machine, such as a device file. Throws on a recording, which has none. */
  place(file: string): string;
  /** The table of mounts, which is read like any other file. */
  mountTable: string;
  /** CPU time of other processes; null: not available on this system. */
  processClock(): Promise<ProcessClock | null>;
  netlink: LoadNetlink;
  dbus: Dbus;
  /** The user's desktop, also if the service was started outside of it. */
  session: DesktopSession;
}
