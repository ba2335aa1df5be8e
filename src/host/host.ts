import type { Clock } from './clock.ts';
import type { Dbus } from './dbus/dbus.ts';
import type { Download } from './download.ts';
import type { Environment } from './environment.ts';
import type { Files } from './files.ts';
import type { Network } from './network.ts';
import type { Paths } from './paths.ts';
import type { Run } from './run.ts';
import type { Storage } from './storage.ts';

/** The machine. Nothing outside this folder touches it in another way, so everything else runs in a test. */
export interface Host {
  /** /proc, /sys, /dev, /etc and the like, from wherever they are mounted. */
  files: Files;
  /** Our own files: settings, tokens, state. */
  storage: Storage;
  clock: Clock;
  environment: Environment;
  paths: Paths;
  network: Network;
  dbus: Dbus;
  run: Run;
  download: Download;
}
