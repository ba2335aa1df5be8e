import type { HistorySampler } from '../../../core/readings/history.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { runtimeDirectory } from '../../../host/linux/runtime-directory.ts';
import { systemdManager, systemdProperty } from '../../../host/linux/systemd/systemd-bus.ts';

const timeoutMs = 1000;
const userMark = ' (user)';

/**
 * systemd keeps a link for each unit that runs, so that its directory changes with every start, stop and failure: only then is it asked which
 * units have failed. On a quiet machine no bus is touched.
 */
export function servicesHistoryLinux({ files, clock, dbus, environment, failedUnits }: LinuxHost): HistorySampler {
  const runtime = runtimeDirectory(environment);
  const directories = ['/run/systemd/units', ...(runtime === null ? [] : [`${runtime}/systemd/units`])];
  const stamp = () => directories.map((directory) => files.modified(directory)).join(' ');
  const begunAt = clock.now();
  let changed = stamp();
  let isKnown = false;

  /** Whether it failed since we look. */
  const isNew = async (unit: string): Promise<boolean> => {
    const isUsers = unit.endsWith(userMark);
    const bus = isUsers ? dbus.session : dbus.system;
    const body = [isUsers ? unit.slice(0, -userMark.length) : unit];
    try {
      const [path] = await bus.call({ ...systemdManager, member: 'GetUnit', signature: 's', body, timeoutMs });
      const at = await systemdProperty(bus, String(path), 'Unit', 'InactiveEnterTimestamp', timeoutMs);
      return Number(at) / 1000 >= begunAt;
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
