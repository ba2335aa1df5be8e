import type { LinuxHost } from '../linux-host.ts';

/**
 * Primitives of a machine that are not recorded: sockets and device files, whose replies depend on earlier requests.
 * While recording they are not used either, so that a replay reads the same. `isRecording` does the same
 * for the parts of features, each of which declares its replacement.
 */
export const unrecorded: Pick<
  LinuxHost,
  | 'isRecording'
  | 'run'
  | 'download'
  | 'post'
  | 'netlink'
  | 'session'
  | 'connectLocal'
  | 'processClock'
  | 'mountTable'
  | 'place'
> = {
  isRecording: true,
  place: (file) => {
    throw new Error(`A recording has no device files such as ${file}`);
  },
  netlink: async () => {
    throw new Error('A recording contains no netlink replies of the kernel');
  },
  session: {
    find: async () => ({ variables: {}, wayland: null, x11: null }),
    watch: () => () => {},
  },
  connectLocal: async (file) => {
    throw Object.assign(new Error(`connect ENOENT ${file}: a recording holds no sockets`), { code: 'ENOENT' });
  },
  run: refuse('runs no programs'),
  download: refuse('sends no requests to other machines'),
  post: refuse('sends no requests to other machines'),
  processClock: async () => null,
  mountTable: '/proc/self/mountinfo',
};

function refuse(what: string): () => Promise<never> {
  return async () => {
    throw new Error(`A recording ${what}`);
  };
}
