import { NvmlError } from '../../../features/gpus/nvidia/nvml.ts';
import { lazily } from '../../../lib/lazily.ts';
import type { LinuxHost } from '../linux-host.ts';

/**
 * Parts of a machine that no recording has: they speak over sockets and device files, in answers that depend on what was said before.
 * While recording they are left alone as well, so that what is read then is what is read when it is replayed.
 */
export const unrecorded: Pick<
  LinuxHost,
  | 'run'
  | 'download'
  | 'post'
  | 'driveHealth'
  | 'followArrays'
  | 'packages'
  | 'lookAtSocket'
  | 'journal'
  | 'netlink'
  | 'session'
  | 'hid'
  | 'monitors'
  | 'nvml'
  | 'chat'
  | 'connectLocal'
  | 'processClock'
  | 'clockDiscipline'
  | 'mountTable'
  | 'attributes'
  | 'encodePicture'
> = {
  netlink: async () => {
    throw new Error('A recording holds the tables of the kernel, not its answers to questions');
  },
  session: {
    find: async () => ({ variables: {}, wayland: null, x11: null }),
    watch: () => () => {},
  },
  hid: { open: async () => null },
  monitors: lazily(async () => ({
    read: async () => new Map(),
    known: () => new Map(),
    set: refuse('has no monitors to be set'),
    watch: () => () => {},
  })),
  nvml: {
    open: async () => {
      throw new NvmlError('A recording does not hold what the driver of NVIDIA says');
    },
  },
  chat: async () => ({
    state: () => ({ kind: 'absent', sentence: 'A recording does not hold the voice chat' }),
    follow: () => () => {},
    command: async () => {
      throw new Error('A recording does not hold the voice chat');
    },
    close: () => {},
  }),
  connectLocal: async (file) => {
    throw Object.assign(new Error(`connect ENOENT ${file}: a recording holds no sockets`), { code: 'ENOENT' });
  },
  run: refuse('runs no programs'),
  encodePicture: refuse('has no screen'),
  download: refuse('asks no other machine'),
  post: refuse('asks no other machine'),
  driveHealth: lazily(async () => ({
    read: (drives) => new Map(drives.map(({ name }) => [name, { kind: 'mute' }])),
    known: () => new Map(),
    watch: () => () => {},
  })),
  followArrays: async () => () => {},
  packages: { scan: async () => [], signature: () => '', follow: () => () => {} },
  lookAtSocket: () => ({ kind: 'absent' }),
  journal: async () => ({ problem: 'no-journal', detail: 'A recording holds no journal' }),
  processClock: async () => null,
  clockDiscipline: async () => null,
  mountTable: '/proc/self/mountinfo',
  attributes: {
    follow: async () => () => {},
    write: async () => {
      throw new Error('A recording is not a machine that could be changed');
    },
  },
};

function refuse(what: string): () => Promise<never> {
  return async () => {
    throw new Error(`A recording ${what}`);
  };
}
