import { partMade, partOf } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { Later } from '../../../lib/later.ts';
import type { WhyNot } from '../disks.health.ts';
import type { DiskLayout } from './disks.layout.ts';
import { driveHealth } from './drive-health.part.ts';
import type { AskableDrive, DriveHealth, DriveState, DriveStates } from './drive-health.ts';

/** Less than the time limit of a read; slower drives appear in a later one. */
const waitMs = 800;

export function createHealth(host: LinuxHost) {
  let listener: (() => void) | null = null;
  let stopWatching: (() => void) | null = null;

  const ask = (drives: DriveHealth, askable: readonly AskableDrive[]): Later<DriveStates> => {
    if (listener !== null) stopWatching ??= drives.watch(listener);
    return drives.read(askable, waitMs);
  };

  return {
    read({ askable }: DiskLayout): Later<DriveStates> {
      // Without a drive to query nothing is loaded.
      if (askable.length === 0) return none;
      const drives = partMade(host, driveHealth);
      return drives === null ? partOf(host, driveHealth).then((loaded) => ask(loaded, askable)) : ask(drives, askable);
    },
    watch(changed: () => void): () => void {
      listener = changed;
      return () => {
        listener = null;
        stopWatching?.();
        stopWatching = null;
      };
    },
  };
}

const none: DriveStates = new Map();

export function whyNoHealth({ name, kind }: AskableDrive, states: DriveStates): WhyNot {
  const state = states.get(name)?.kind ?? 'unknown';
  return whyNot[state === 'mute' && kind === null ? 'foreign' : state];
}

/** Why the health of a drive is unknown. */
const whyNot: Record<DriveState['kind'] | 'unknown' | 'foreign', WhyNot> = {
  denied: {
    because:
      'the health of drives comes from udisks2 (2.10 or later for NVMe), which is not running or does not know it; start udisks2, or run Hostler as root',
    mendable: true,
  },
  silent: { because: 'did not answer the query for its health; see the kernel log', mendable: true },
  asleep: { because: 'sleeps, and is not woken to read its health', mendable: false },
  mute: { because: 'does not report its health (SMART is missing, or switched off)', mendable: false },
  foreign: {
    because: 'udisks2 does not report its health, and drives of this kind are not queried directly',
    mendable: false,
  },
  unknown: { because: 'is being queried for its health; the answer is in one of the next readings', mendable: false },
  read: { because: '', mendable: false },
};
