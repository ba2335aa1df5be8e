import { partMade, partOf } from '../../../core/part.ts';
import type { Reasons } from '../../../core/reasons.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { type Later, mapLater } from '../../../lib/later.ts';
import { type HealthSentence, several, toHealth, unsaid } from '../disks.health.ts';
import type { Health } from '../disks.schema.ts';
import type { DiskLayout } from './disks.layout.ts';
import { driveHealth } from './drive-health.part.ts';
import type { AskableDrive, DriveHealth, DriveState, DriveStates } from './drive-health.ts';

/** What the drives have told, ready to be shown. */
export interface ToldHealth {
  /** By the name of the disk. */
  health: ReadonlyMap<string, Health>;
  isAskable(name: string): boolean;
  /** Says why the others have none; `others`: devices that are no drives. */
  explain(others: readonly string[], reasons: Reasons): void;
}

/** Less than an answer may take altogether; a drive that needs longer is in one of the next ones. */
const waitMs = 800;

export function createHealth(host: LinuxHost) {
  const listeners = new Set<() => void>();
  let stopWatching: (() => void) | null = null;
  let last: { states: DriveStates; askable: readonly AskableDrive[]; told: ToldHealth } | null = null;

  const tell = (states: DriveStates, askable: readonly AskableDrive[]): ToldHealth => {
    if (last === null || last.states !== states || last.askable !== askable)
      last = { states, askable, told: toTold(states, askable) };
    return last.told;
  };

  const ask = (book: DriveHealth, askable: readonly AskableDrive[]): Later<ToldHealth> => {
    if (listeners.size > 0 && stopWatching === null)
      stopWatching = book.watch(() => {
        for (const listener of listeners) listener();
      });
    return mapLater(book.read(askable, waitMs), (states) => tell(states, askable));
  };

  return {
    read({ askable }: DiskLayout): Later<ToldHealth> {
      // Where there is no drive to ask, nothing is loaded that could.
      if (askable.length === 0) return tell(none, askable);
      const book = partMade(host, driveHealth);
      return book === null ? partOf(host, driveHealth).then((loaded) => ask(loaded, askable)) : ask(book, askable);
    },
    watch(changed: () => void): () => void {
      listeners.add(changed);
      return () => {
        listeners.delete(changed);
        if (listeners.size > 0) return;
        stopWatching?.();
        stopWatching = null;
      };
    },
  };
}

const none: DriveStates = new Map();

/** Made once for what is known: nothing of it changes between two times that a drive is asked. */
function toTold(states: DriveStates, askable: readonly AskableDrive[]): ToldHealth {
  const names = new Set(askable.map(({ name }) => name));
  const health = new Map(
    askable.flatMap(({ name }) => {
      const state = states.get(name);
      return state !== undefined && 'reading' in state && state.reading !== null
        ? [[name, toHealth(state.reading)] as const]
        : [];
    }),
  );
  const sentences = explainDrives(states, askable, health);
  return {
    health,
    isAskable: (name) => names.has(name),
    explain(others, reasons) {
      if (others.length > 0)
        reasons.inherent('devices[].health', `${several(others)}: only physical drives report their health`);
      for (const { field, sentence, mendable } of sentences)
        if (mendable) reasons.missing(field, sentence);
        else reasons.inherent(field, sentence);
    },
  };
}

/** Why a drive that could say how it is has not. */
const whyNot: Record<DriveState['kind'] | 'unasked' | 'foreign', { because: string; mendable: boolean }> = {
  denied: {
    because:
      'the health of drives is told by udisks2 (2.10 or later for NVMe), which does not run here or does not know it; start udisks2, or run Hostler as root',
    mendable: true,
  },
  silent: { because: 'did not answer when it was asked for its health; the kernel log may say why', mendable: true },
  asleep: { because: 'sleeps, and is not woken to be asked for its health', mendable: false },
  mute: { because: 'does not report its health (SMART is missing, or switched off)', mendable: false },
  foreign: {
    because: 'udisks2 does not report its health, and drives of this kind are not asked directly',
    mendable: false,
  },
  unasked: { because: 'is being asked for its health; the answer is in one of the next readings', mendable: false },
  read: { because: '', mendable: false },
};

function explainDrives(
  states: DriveStates,
  askable: readonly AskableDrive[],
  health: ReadonlyMap<string, Health>,
): HealthSentence[] {
  const silent = Map.groupBy(
    askable.filter(({ name }) => !health.has(name)),
    ({ name, kind }) => {
      const state = states.get(name)?.kind ?? 'unasked';
      return state === 'mute' && kind === null ? 'foreign' : state;
    },
  );
  return [
    ...[...silent].map(([kind, drives]) => ({
      field: 'devices[].health',
      sentence: `${several(drives.map(({ name }) => name))}: ${whyNot[kind].because}`,
      mendable: whyNot[kind].mendable,
    })),
    ...unsaid(health),
  ];
}
