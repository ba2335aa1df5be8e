import type { OpenStream } from '@hostler/io/byte-stream.ts';
import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import type { Clock } from '../lib/clock.ts';
import type { Later } from '../lib/later.ts';
import type { Platform } from '../lib/platform.ts';
import type { StartThread } from '../lib/thread.ts';
import type { CommandChannel } from './command-channel.ts';
import type { Contained } from './contained/contained.ts';
import type { Databases } from './database.ts';
import type { Download } from './download.ts';
import type { Environment } from './environment.ts';
import type { ReadFailedUnits } from './failed-units.ts';
import type { LocalHttp } from './local-http.ts';
import type { FollowMachine, FollowWallClock } from './machine-events.ts';
import type { OpenMulticast } from './multicast.ts';
import type { Network } from './network.ts';
import type { Paths } from './paths.ts';
import type { IsOurPeer } from './peer-user.ts';
import type { Post } from './post.ts';
import type { Launch } from './processes/launch.ts';
import type { Run } from './processes/run.ts';
import type { Scratch } from './scratch.ts';
import type { Sealing } from './sealing.ts';
import type { OwnSockets } from './socket-inspector.ts';
import type { Storage } from './storage.ts';
import type { Volumes } from './volumes.ts';

export interface EarlierPress {
  tag: number;
  /** The button, or `default` for the notification itself. */
  key: string;
  /** As the feature has stored it. */
  about: unknown;
}

/**
 * The parts of the machine that every platform has. Code outside this folder accesses it only through this interface, so that it can run in a test.
 * The parts of one platform are in its own interface: `linux/linux-host.ts`, `windows/windows-host.ts`.
 */
export interface Host {
  /** null: a system without sources. */
  platform: Platform | null;
  /** Whether it replays or makes a recording of a machine: parts of features are absent then (`core/part.ts`). */
  isRecording: boolean;
  userAgent: string;
  startThread: StartThread;
  /** Our own files: settings, tokens, state. */
  storage: Storage;
  /** For secrets that open other machines; left out: they are protected by file permissions only. */
  sealing?: Sealing;
  databases: Databases;
  /** Files for other programs of the user, such as received pictures. */
  scratch: Scratch;
  /** Files of the user, inside directories that must not be left. */
  contained: Contained;
  clock: Clock;
  environment: Environment;
  paths: Paths;
  /** The user's own directories by their keys in lower case (`music`, `download`); omitted ones have their default place. */
  userDirectories(): Later<Map<string, string>>;
  volumes: Volumes;
  network: Network;
  multicast: OpenMulticast;
  isOurPeer: IsOurPeer;
  connectLocal: ConnectLocal;
  /** A connection to another machine, plain or with TLS; its code is loaded on first use. */
  connect: OpenStream;
  /** Connections and descriptors of this process; null: the platform offers no way to inspect them. */
  ownSockets: OwnSockets | null;
  run: Run;
  /** Programs of the user's desktop, which outlive the service. */
  launch: Launch;
  download: Download;
  post: Post;
  localHttp: LocalHttp;
  /** Announcements of sleep and shutdown; left out: not available on this system. */
  machineEvents?: FollowMachine;
  /** Changes of the wall clock; left out: not available on this system. */
  wallClock?: FollowWallClock;
  /** Failed units of the service manager; left out: not available on this system. */
  failedUnits?: ReadFailedUnits;
  /**
   * Calls back when the end of this user's session can no longer be cancelled; the process has a few seconds left. Left out: this system sends
   * a signal. Returns the function that unsubscribes.
   */
  sessionEnd?(ending: () => void): Promise<() => void>;
  /** Left out: the commands of this user use HTTP over a socket in the state directory. */
  commands?: CommandChannel;
  /** Whether SIGHUP may mean that the terminal was closed. Left out: it always does. */
  hasTerminal?(): boolean;
  /** The address of a pressed notification; false: there is no such notification. Left out: this system reports presses itself. */
  acceptPress?(address: string): Promise<boolean>;
  /** Presses on notifications that an earlier process of this service has shown. Returns the function that unsubscribes. */
  followEarlierPresses?(pressed: (press: EarlierPress) => void): () => void;
  /** Stores a line of the log; left out: the system does so. */
  keepLog?(line: string): void;
  /** Servers of other users at places where ours are expected, such as a bus or a display, each a clause; left out: this system has no such check. */
  foreignServers?(): Promise<string[]>;
  /** Registers something to close together with the host. */
  onClose(close: () => void | Promise<void>): void;
  close(): Promise<void>;
}
