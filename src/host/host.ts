import type { Ask } from './ask.ts';
import type { Clock } from './clock.ts';
import type { Contained } from './contained.ts';
import type { Dbus } from './dbus/dbus.ts';
import type { Download } from './download.ts';
import type { Environment } from './environment.ts';
import type { Files } from './files.ts';
import type { Hid } from './hid.ts';
import type { LoadNetlink } from './linux/netlink.ts';
import type { Nvml } from './linux/nvml.ts';
import type { ProcessClock } from './linux/process-clock.ts';
import type { Mounts } from './mounts.ts';
import type { Network } from './network.ts';
import type { Paths } from './paths.ts';
import type { Run } from './run.ts';
import type { ConnectLocal } from './socket.ts';
import type { Storage } from './storage.ts';

/** The machine. Nothing outside this folder touches it in another way, so everything else runs in a test. */
export interface Host {
  /** /proc, /sys, /dev, /etc and the like, from wherever they are mounted. */
  files: Files;
  /** Our own files: settings, tokens, state. */
  storage: Storage;
  /** Files of the user, inside directories that must not be left. */
  contained: Contained;
  clock: Clock;
  environment: Environment;
  /** CPU time of other processes; null: this system does not tell. */
  processClock(): Promise<ProcessClock | null>;
  /** Devices that speak in reports, such as fan controllers. */
  hid: Hid;
  paths: Paths;
  /** What is mounted, and how full it is. */
  mounts: Mounts;
  network: Network;
  /** Linux only; rejects elsewhere. */
  netlink: LoadNetlink;
  dbus: Dbus;
  connectLocal: ConnectLocal;
  run: Run;
  download: Download;
  ask: Ask;
  /** NVIDIA's library about its GPUs; not loaded before it is opened. */
  nvml: Nvml;
  /** Ends what was started and disconnects. */
  close(): Promise<void>;
}
