import type { CreateSource } from '../../core/module.ts';
import { partOf } from '../../core/part.ts';
import { type Reasons, remembered } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { findPendingReboot } from '../../host/linux/proc/pending-reboot.ts';
import { stopAll, stopOnceBegun } from '../../lib/closing.ts';
import { readFwupd } from './linux/fwupd.ts';
import type { ManagerState, PackageChange } from './linux/manager-state.ts';
import { type PackageState, packages } from './linux/package-state.ts';
import { readPackageKit } from './linux/packagekit.ts';
import { followPackageDaemons } from './linux/updates.daemons.ts';
import type { Updates } from './updates.schema.ts';

/** Managers are queried at this interval even without a sign of a change. */
const rescanMs = 6 * 60 * 60 * 1000;
/** The same after a manager did not answer. */
const rescanSilentMs = 30 * 60 * 1000;
/** Between two looks at the files, unless a change was announced: a working manager changes them continuously. */
const atMostEveryMs = 5000;
/** Of the logs of package managers. */
const { changesSeconds, mostChanges } = { changesSeconds: 7 * 86_400, mostChanges: 250 };
/** Pause after a failure. */
const retryMs = 5 * 60 * 1000;

export const updatesLinux: CreateSource<Updates, LinuxHost> = (host) => {
  const { clock, dbus, files } = host;
  let known: { managers: ManagerState[]; signature: string; at: number; checkedAt: number } | null = null;
  let failed: { error: unknown; at: number } | null = null;
  /** At most one at a time. */
  let reading: Promise<ManagerState[]> | null = null;
  /** A daemon announced a change. */
  let outdated = false;
  let shown: { managers: ManagerState[]; payload: (reasons: Reasons) => Updates } | null = null;

  const isFresh = (state: PackageState) => {
    if (known === null) return false;
    const now = clock.monotonic();
    const age = now - known.at;
    if (age < atMostEveryMs) return true;
    if (outdated || age >= (known.managers.some(isSilent) ? rescanSilentMs : rescanMs)) return false;
    if (now - known.checkedAt < atMostEveryMs) return true;
    known.checkedAt = now;
    return known.signature === state.signature();
  };

  const scan = async (state: PackageState): Promise<ManagerState[]> => {
    outdated = false;
    const signature = state.signature();
    try {
      const [found, firmware, kit] = await Promise.all([
        state.scan(),
        readFwupd(dbus.system),
        readPackageKit(dbus.system, files, clock.after),
      ]);
      const managers = [...found, ...[firmware, kit].filter((state) => state !== null)];
      const at = clock.monotonic();
      known = { managers, signature, at, checkedAt: at };
      failed = null;
      return managers;
    } catch (error) {
      failed = { error, at: clock.monotonic() };
      throw error;
    }
  };

  const managersNow = async (): Promise<ManagerState[]> => {
    if (failed !== null && clock.monotonic() - failed.at < retryMs) throw failed.error;
    const state = await partOf(host, packages);
    return known !== null && isFresh(state) ? known.managers : await scan(state);
  };

  return {
    async read(reasons) {
      reading ??= managersNow().finally(() => {
        reading = null;
      });
      const managers = await reading;
      if (shown?.managers !== managers) {
        const payload = remembered(clock, atMostEveryMs, (given) =>
          toPayload(managers, findPendingReboot(host), clock.now(), given),
        );
        shown = { managers, payload };
      }
      return shown.payload(reasons);
    },
    watch(changed) {
      const again = () => {
        outdated = true;
        changed();
      };
      const touched = () => {
        if (known !== null) known.checkedAt = Number.NEGATIVE_INFINITY;
        shown = null;
        changed();
      };
      const files = partOf(host, packages).then((state) => state.follow(touched));
      return stopAll([followPackageDaemons(dbus.system, clock, again), stopOnceBegun(files)]);
    },
  };
};

/** snap does not report its updates. */
const isSilent = ({ name, updates }: ManagerState) => updates === null && name !== 'snap';

/** Newest first. */
const lately = (managers: readonly ManagerState[], now: number): PackageChange[] =>
  managers
    .flatMap(({ changes }) => changes?.() ?? [])
    .filter(({ at }) => at > now / 1000 - changesSeconds)
    .toSorted((a, b) => b.at - a.at)
    .slice(0, mostChanges);

function toPayload(
  managers: readonly ManagerState[],
  { required, reasons: why, seesKernels }: ReturnType<typeof findPendingReboot>,
  now: number,
  reasons: Reasons,
): Updates {
  explain(managers, reasons);
  const hasLog = managers.some(({ changes }) => changes !== null);
  if (!hasLog) reasons.inherent('changes', 'Only apt and pacman keep a log of their changes that Hostler reads');
  if (!required && !seesKernels)
    reasons.inherent(
      'reboot.required',
      'No installed kernel is visible here, so only restart requests from packages count',
    );
  return {
    updates: sumOf(managers.map(({ updates }) => updates)),
    security_updates: sumOf(managers.map(({ security }) => security)),
    managers: managers.map(({ name, updates, security, checkedAtMs, packages, origins }) => ({
      name,
      updates,
      security_updates: security,
      checked_at: checkedAtMs === null ? null : Math.round(checkedAtMs / 1000),
      packages,
      origins,
    })),
    // Entities do not show them, and the first time in local time takes 4 MiB.
    get changes() {
      return hasLog ? lately(managers, now) : null;
    },
    reboot: { required, reasons: why },
  };
}

/** Of the known ones; null: none. */
function sumOf(numbers: readonly (number | null)[]): number | null {
  const known = numbers.filter((each) => each !== null);
  return known.length === 0 ? null : known.reduce((sum, each) => sum + each, 0);
}

function explain(managers: readonly ManagerState[], reasons: Reasons): void {
  if (managers.length === 0) {
    const sentence = 'No package manager that Hostler can read is in use here';
    reasons.inherent('updates', sentence);
    reasons.inherent('security_updates', sentence);
    return;
  }
  for (const { name, problem, updates } of managers) {
    if (problem !== null && name !== 'snap')
      reasons.missing(updates === null ? 'managers[].updates' : 'managers', `${name}: ${problem}`);
    if (problem !== null && name === 'snap') reasons.inherent('managers[].updates', `${name}: ${problem}`);
  }
  if (managers.every(({ updates }) => updates === null))
    reasons.inherent('updates', 'No package manager on this machine lists the available updates');
  const silent = managers.filter(({ security }) => security === null).map(({ name }) => name);
  if (silent.length > 0) {
    const sentence = `${silent.join(', ')} ${silent.length === 1 ? 'does' : 'do'} not report which updates are for security`;
    reasons.inherent('managers[].security_updates', sentence);
    reasons.inherent('managers[].packages[].security', sentence);
    if (silent.length === managers.length) reasons.inherent('security_updates', sentence);
  }
  const undated = managers.filter(({ checkedAtMs }) => checkedAtMs === null).map(({ name }) => name);
  if (undated.length > 0)
    reasons.inherent('managers[].checked_at', `${undated.join(', ')}: the last refresh of the lists is not recorded`);
}
