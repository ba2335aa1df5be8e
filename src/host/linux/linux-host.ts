import type { BusCall, Dbus } from '@hostler/dbus/dbus.ts';
import type { SocketPlace } from '../../features/containers/socket-status.ts';
import type { DriveHealth } from '../../features/disks/linux/drive-health.ts';
import type { Monitors } from '../../features/displays/linux/monitors.ts';
import type { Attributes } from '../../features/displays/linux/sysfs-attributes.ts';
import type { ProcessCalls } from '../../features/processes/linux/process-calls.ts';
import type { EncodePicture } from '../../features/screen/pictures/pictures.ts';
import type { Hid } from '../../features/sensors/hid/hid.ts';
import type { ReadJournal } from '../../features/services/linux/journal.ts';
import type { ReadClockDiscipline } from '../../features/system/linux/clock-discipline.ts';
import type { PackageState } from '../../features/updates/linux/package-state.ts';
import type { Lazily } from '../../lib/lazily.ts';
import type { Host } from '../host.ts';
import type { DesktopSession } from './desktop/desktop-session.ts';
import type { Files } from './files.ts';
import type { LinuxEnvironment } from './linux-environment.ts';
import type { MachineIdentity } from './machine-identity.ts';
import type { LoadNetlink } from './net/netlink.ts';
import type { ProcessClock } from './proc/process-clock.ts';

/** What a Linux machine has beside what every machine has. */
export interface LinuxHost extends Host {
  platform: 'linux';
  environment: LinuxEnvironment;
  /** Name and addresses of the machine that `files` show. */
  identity: MachineIdentity;
  /** /proc, /sys, /dev, /etc and the like, from wherever they are mounted. */
  files: Files;
  /** Single values in /sys, which can be set and announce their changes. */
  attributes: Attributes;
  /** The table of what is mounted, to be read like any other file. */
  mountTable: string;
  /** Hears when something happened to a RAID array of the kernel; rejects where that is not announced. Returns the way to stop. */
  followArrays(changed: () => void): Promise<() => void>;
  /** How the drives say they are. */
  driveHealth: Lazily<DriveHealth>;
  /** CPU time of other processes; null: this system does not tell. */
  processClock(): Promise<ProcessClock | null>;
  /** Signals and priorities of other processes. Throws where there is no C library. */
  processCalls(): Promise<ProcessCalls>;
  /** How well the clock is kept; null: this system does not tell. */
  clockDiscipline(): Promise<ReadClockDiscipline | null>;
  /** Devices that speak in reports, such as fan controllers. */
  hid: Hid;
  /** Monitors at cables, asked over DDC/CI. */
  monitors: Lazily<Monitors>;
  netlink: LoadNetlink;
  /** Whether there is a socket at a path, and nobody else could have put it there. */
  lookAtSocket(path: string): SocketPlace;
  /** What package managers would update. */
  packages: PackageState;
  dbus: Dbus;
  /** Calls a method of the system bus whose answer is a descriptor, and keeps it until the returned function is called. */
  hold(call: BusCall): Promise<() => void>;
  /** The last lines of the log of a unit. */
  journal: ReadJournal;
  encodePicture: EncodePicture;
  /** The user's desktop, even if we were started outside of it. */
  session: DesktopSession;
}
