import type { LinuxHost } from '../linux-host.ts';

/**
 * Primitives of a machine that no recording has: they speak over sockets and device files, in answers that depend on what was said before.
 * While recording they are left alone as well, so that what is read then is what is read when it is replayed. `isRecording` does the same
 * for the parts of features, each of which declares what takes its place.
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
    throw new Error('A recording holds the tables of the kernel, not its answers to questions');
  },
  session: {
    find: async () => ({ variables: {}, wayland: null, x11: null }),
    watch: () => () => {},
  },
  connectLocal: async (file) => {
    throw Object.assign(new Error(`connect ENOENT ${file}: a recording holds no sockets`), { code: 'ENOENT' });
  },
  run: refuse('runs no programs'),
  download: refuse('asks no other machine'),
  post: refuse('asks no other machine'),
  processClock: async () => null,
  mountTable: '/proc/self/mountinfo',
};

function refuse(what: string): () => Promise<never> {
  return async () => {
    throw new Error(`A recording ${what}`);
  };
}
