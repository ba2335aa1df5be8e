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

/**
 * The machine, as every platform has it. Nothing outside this folder touches it in another way, so everything else runs in a test.
 * What only one platform has is in its own contract: `linux/linux-host.ts`, `windows/windows-host.ts`.
 */
export interface Host {
  /** null: a system nobody has written sources for. */
  platform: Platform | null;
  /** Whether it replays or makes a recording of a machine: parts of features are absent then (`core/part.ts`). */
  isRecording: boolean;
  /** The name of this service in requests to other machines. */
  userAgent: string;
  startThread: StartThread;
  /** Our own files: settings, tokens, state. */
  storage: Storage;
  /** For secrets that open other machines; left out: the rights of their files are all there is. */
  sealing?: Sealing;
  /** Databases of ours, each in one file. */
  databases: Databases;
  /** Files that other programs of the user are to read, such as pictures that were sent to us. */
  scratch: Scratch;
  /** Files of the user, inside directories that must not be left. */
  contained: Contained;
  clock: Clock;
  environment: Environment;
  paths: Paths;
  /** The user's own directories by their keys in lower case (`music`, `download`); what is left out has its customary place. */
  userDirectories(): Later<Map<string, string>>;
  /** How full the file systems are. */
  volumes: Volumes;
  network: Network;
  multicast: OpenMulticast;
  /** Who is at the other end of a connection. */
  isOurPeer: IsOurPeer;
  connectLocal: ConnectLocal;
  /** A connection to another machine, plain or with TLS; what it takes is loaded with the first. */
  connect: OpenStream;
  /** Connections and descriptors of this process; null: the platform offers no way to inspect them. */
  ownSockets: OwnSockets | null;
  run: Run;
  /** Programs of the user's desktop, which outlive us. */
  launch: Launch;
  download: Download;
  post: Post;
  localHttp: LocalHttp;
  /** What is about to happen to the whole machine; left out: this system does not say. */
  machineEvents?: FollowMachine;
  /** When the wall clock is moved; left out: this system does not say. */
  wallClock?: FollowWallClock;
  /** What the system was to keep running and failed; left out: this system does not say. */
  failedUnits?: ReadFailedUnits;
  /**
   * Hears that this user's session ends, when nobody can call it off any more; the process has a few seconds left. Left out: this system sends
   * a signal. Returns the way to stop.
   */
  sessionEnd?(ending: () => void): Promise<() => void>;
  /** Left out: the commands of this user come by HTTP, on a socket in the state directory. */
  commands?: CommandChannel;
  /** Whether SIGHUP may mean that our terminal has gone. Left out: it always means that. */
  hasTerminal?(): boolean;
  /** Keeps a line of the log; left out: the system does that by itself. */
  keepLog?(line: string): void;
  /** Servers of other users at places where ours are expected, such as a bus or a display, each a clause that says so; left out: this system has no such check. */
  foreignServers?(): Promise<string[]>;
  /** Has something closed together with the host. */
  onClose(close: () => void | Promise<void>): void;
  /** Ends what was started and disconnects. */
  close(): Promise<void>;
}
