import type { Clock } from '../lib/clock.ts';
import type { ConnectLocal } from '../lib/local-socket.ts';
import type { BusCall, Dbus } from '../protocols/dbus/dbus.ts';
import type { OpenChat } from './chat/chat.ts';
import type { Contained } from './contained.ts';
import type { Download } from './download.ts';
import type { Environment } from './environment.ts';
import type { Launch } from './launch.ts';
import type { DesktopSession } from './linux/desktop/desktop-session.ts';
import type { Files } from './linux/files.ts';
import type { Hid } from './linux/hardware/hid.ts';
import type { LoadNetlink } from './linux/net/netlink.ts';
import type { ProcessClock } from './linux/proc/process-clock.ts';
import type { Mounts } from './linux/storage/volumes.ts';
import type { Ask } from './local-http.request.ts';
import type { Converse } from './local-http.stream.ts';
import type { OpenMulticast } from './multicast.ts';
import type { Network } from './network.ts';
import type { Nvml } from './nvml.ts';
import type { Paths } from './paths.ts';
import type { Run } from './run.ts';
import type { Scratch } from './scratch.ts';
import type { Storage } from './storage.ts';

/** The machine. Nothing outside this folder touches it in another way, so everything else runs in a test. */
export interface Host {
  /** /proc, /sys, /dev, /etc and the like, from wherever they are mounted. */
  files: Files;
  /** Our own files: settings, tokens, state. */
  storage: Storage;
  /** Files that other programs of the user are to read, such as pictures that were sent to us. */
  scratch: Scratch;
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
  multicast: OpenMulticast;
  /** Linux only; rejects elsewhere. */
  netlink: LoadNetlink;
  dbus: Dbus;
  /** Calls a method of the system bus whose answer is a descriptor, and keeps it until the returned function is called. */
  hold(call: BusCall): Promise<() => void>;
  /** The user's desktop, also when we were started outside of it. */
  session: DesktopSession;
  connectLocal: ConnectLocal;
  /** The voice-chat application; not looked for before somebody asks. */
  chat: OpenChat;
  run: Run;
  /** Programs of the user's desktop, which outlive us. */
  launch: Launch;
  download: Download;
  ask: Ask;
  converse: Converse;
  /** NVIDIA's library about its GPUs; not loaded before it is opened. */
  nvml: Nvml;
  /** Ends what was started and disconnects. */
  close(): Promise<void>;
}
