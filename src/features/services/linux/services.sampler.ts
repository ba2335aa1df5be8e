import type { HistorySampler } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { runtimeDirectory } from '../../../host/linux/runtime-directory.ts';
import { systemdManager, systemdProperty } from '../../../host/linux/systemd/systemd-bus.ts';

const timeoutMs = 1000;
const userMark = ' (user)';

/**
 * systemd has a link for each running unit, so its directory changes with every start, stop and failure. Only then are the failed units
 * queried; without changes the bus is not used.
 */
export function servicesHistoryLinux({ files, clock, dbus, environment, failedUnits }: LinuxHost): HistorySampler {
  const runtime = runtimeDirectory(environment);
  const directories = ['/run/systemd/units', ...(runtime === null ? [] : [`${runtime}/systemd/units`])];
  const stamp = () => directories.map((directory) => files.modified(directory)).join(' ');
  const startedAt = clock.now();
  let changed = stamp();
  let isKnown = false;

  /** Whether it failed after the sampler was created. */
  const isNew = async (unit: string): Promise<boolean> => {
    const isUsers = unit.endsWith(userMark);
    const bus = isUsers ? dbus.session : dbus.system;
    const body = [isUsers ? unit.slice(0, -userMark.length) : unit];
    try {
      const [path] = await bus.call({ ...systemdManager, member: 'GetUnit', signature: 's', body, timeoutMs });
      const at = await systemdProperty(bus, String(path), 'Unit', 'InactiveEnterTimestamp', timeoutMs);
      return Number(at) / 1000 >= startedAt;
    } catch {
      return false;
    }
  };

  return {
    async sample(moment) {
      const now = stamp();
      if (now === changed) return;
      const { units } = (await failedUnits?.()) ?? { units: null };
      if (units === null) return;
      changed = now;
      if (!isKnown) {
        isKnown = true;
        const fresh = await Promise.all(units.map(isNew));
        moment.members(
          'failed',
          units.filter((_, at) => fresh[at] !== true),
        );
      }
      moment.members('failed', units);
    },
  };
}
