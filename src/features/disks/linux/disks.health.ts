import { partMade, partOf } from '../../../core/part.ts';
import { type Reasons, report } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { type Later, mapLater } from '../../../lib/later.ts';
import { explainHealth, healthOf, noDrives, type WhyNot } from '../disks.health.ts';
import type { Health } from '../disks.schema.ts';
import type { DiskLayout } from './disks.layout.ts';
import { driveHealth } from './drive-health.part.ts';
import type { AskableDrive, DriveHealth, DriveState, DriveStates } from './drive-health.ts';

/** The health of the drives as the payload has it. */
export interface ReportedHealth {
  /** By the name of the disk. */
  health: ReadonlyMap<string, Health>;
  isAskable(name: string): boolean;
  /** Gives the reasons for drives without health; `others`: devices that are not drives. */
  explain(others: readonly string[], reasons: Reasons): void;
}

/** Less than the time limit of a read; slower drives appear in a later one. */
const waitMs = 800;

export function createHealth(host: LinuxHost) {
  let listener: (() => void) | null = null;
  let stopWatching: (() => void) | null = null;
  let last: { states: DriveStates; askable: readonly AskableDrive[]; reported: ReportedHealth } | null = null;

  const reportOf = (states: DriveStates, askable: readonly AskableDrive[]): ReportedHealth => {
    if (last === null || last.states !== states || last.askable !== askable)
      last = { states, askable, reported: toReported(states, askable) };
    return last.reported;
  };

  const ask = (drives: DriveHealth, askable: readonly AskableDrive[]): Later<ReportedHealth> => {
    if (listener !== null) stopWatching ??= drives.watch(listener);
    return mapLater(drives.read(askable, waitMs), (states) => reportOf(states, askable));
  };

  return {
    read({ askable }: DiskLayout): Later<ReportedHealth> {
      // Without a drive to query nothing is loaded.
      if (askable.length === 0) return reportOf(none, askable);
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

/** Created once for each set of states, which rarely change. */
function toReported(states: DriveStates, askable: readonly AskableDrive[]): ReportedHealth {
  const names = new Set(askable.map(({ name }) => name));
  const health = healthOf([...states].filter(([name]) => names.has(name)));
  const why = ({ name, kind }: AskableDrive) => {
    const state = states.get(name)?.kind ?? 'unknown';
    return whyNot[state === 'mute' && kind === null ? 'foreign' : state];
  };
  const explained = explainHealth(askable, why, health);
  return {
    health,
    isAskable: (name) => names.has(name),
    explain(others, reasons) {
      if (others.length > 0) reasons.inherent('devices[].health', noDrives(others));
      report(explained, reasons);
    },
  };
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
