import type { ConnectLocal } from '@hostler/io/local-socket.ts';
import type { StartThread } from '../lib/thread.ts';
import { createClock } from './clock.ts';
import { createConnectLocal } from './connect-local.ts';
import { createDatabases } from './database.ts';
import { createDownload } from './download.ts';
import type { Host } from './host.ts';
import { createLocalHttp } from './local-http.ts';
import { createNetwork } from './network.ts';
import { createPost } from './post.ts';
import { createLaunch } from './processes/launch.ts';
import { createRunner, type RunnerParts } from './processes/run.ts';
import { createStorage, type Storage } from './storage.ts';

export interface Programs extends RunnerParts {
  searchPath: string | null;
  customary: string[];
  /** Of the names of all programs, such as `.exe`. */
  ending?: string;
}

const noSpace = { kind: 'failed', code: 'ENOSYS' } as const;

/** What is the same on every platform, as far as the runtime makes it so. */
export function createNeutralParts(
  version: string,
  startThread: StartThread,
  programs: Programs,
  exposure: Storage['exposure'],
  connectLocal: ConnectLocal = createConnectLocal(null),
) {
  const runner = createRunner(programs);
  const userAgent = `hostler/${version}`;
  const closers: (() => void | Promise<void>)[] = [];
  return {
    isRecording: false,
    userAgent,
    startThread,
    onClose: (close) => void closers.push(close),
    closeParts: async () => {
      for (const close of closers) await close();
    },
    clock: createClock(),
    storage: createStorage(exposure),
    databases: createDatabases(),
    network: createNetwork(),
    connectLocal,
    connect: async (...given) => (await import('./outgoing.ts')).openStream(...given),
    run: runner.run,
    endPrograms: runner.endAll,
    launch: createLaunch(programs.searchPath, programs.customary, exposure, programs.ending),
    download: createDownload(userAgent),
    post: createPost(userAgent),
    localHttp: createLocalHttp(),
    // Only Linux has the following. Elsewhere only clients of the commands' own channel count as local.
    ownSockets: null,
    isOurPeer: async () => false,
    volumes: {
      space: () => noSpace,
      spaceLater: async () => noSpace,
      onLate: () => () => {},
      follow: () => Promise.reject(new Error('this system does not announce what is mounted')),
    },
  } satisfies Partial<Host> & { endPrograms(): Promise<void>; closeParts(): Promise<void> };
}
