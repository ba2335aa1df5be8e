import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import { getProperties } from '../../../host/linux/dbus/bus-properties.ts';
import { systemdManager, systemdName } from '../../../host/linux/systemd/systemd-bus.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import type { InstallationActivity } from '../installation.contract.ts';

const timeoutMs = 10_000;
const lookEveryMs = 100;
/** Longer than the start timeout of systemd. */
const jobWithinMs = 120_000;

/**
 * The systemd of the machine or that of a user. https://www.freedesktop.org/software/systemd/man/latest/org.freedesktop.systemd1.html
 * `restart`, `stop` and `forget` resolve when it is done, whatever the outcome.
 */
export function createServiceManager(bus: Bus, clock: Clock) {
  const call = (member: string, signature = '', body: unknown[] = []) =>
    bus.call({ ...systemdManager, member, signature, body, timeoutMs }).catch(explain);
  const properties = (path: string, name: string) =>
    getProperties(bus, { destination: systemdName, path, interface: `${systemdName}.${name}` }, timeoutMs);
  const facts = async (unit: string) => {
    const path = String((await call('LoadUnit', 's', [unit]))[0]);
    const of = await properties(path, 'Unit');
    // A unit that does not exist has no properties of a service.
    const own = of.LoadState === 'loaded' ? await properties(path, 'Service') : {};
    const isBusy = Array.isArray(of.Job) && Number(of.Job[0]) !== 0;
    return { isBusy, activity: parseActivity(of, own) };
  };
  const settled = async (unit: string): Promise<InstallationActivity> => {
    const end = clock.monotonic() + jobWithinMs;
    for (;;) {
      const { isBusy, activity } = await facts(unit);
      if (!isBusy || clock.monotonic() > end) return activity;
      await sleep(clock, lookEveryMs);
    }
  };
  const forget = async (unit: string) => void (await call('ResetFailedUnit', 's', [unit]).catch(() => {}));
  return {
    reload: async () => void (await call('Reload')),
    enable: async (unit: string) => void (await call('EnableUnitFiles', 'asbb', [[unit], false, true])),
    disable: async (unit: string) => void (await call('DisableUnitFiles', 'asb', [[unit], false])),
    mask: async (unit: string) => void (await call('MaskUnitFiles', 'asbb', [[unit], false, false])),
    unmask: async (unit: string) => void (await call('UnmaskUnitFiles', 'asb', [[unit], false])),
    async restart(unit: string) {
      // Otherwise a unit that failed too often within a minute is not started.
      await forget(unit);
      await call('RestartUnit', 'ss', [unit, 'replace']);
      return await settled(unit);
    },
    async stop(unit: string) {
      if ((await facts(unit)).activity.state === 'inactive') return;
      await call('StopUnit', 'ss', [unit, 'replace']);
      await settled(unit);
    },
    forget,
    activity: async (unit: string) => (await facts(unit)).activity,
  };
}

export function parseActivity(unit: Record<string, unknown>, service: Record<string, unknown>): InstallationActivity {
  return {
    state: String(unit.ActiveState ?? 'unknown'),
    pid: Number(service.MainPID ?? 0) || null,
    status: String(service.StatusText ?? ''),
    result: String(service.Result ?? ''),
    restarts: Number(service.NRestarts ?? 0),
  };
}

function explain(error: unknown): never {
  if (!(error instanceof BusError)) throw error;
  if (refusals.has(error.errorName))
    throw new Error(`systemd does not let this user do that (${error.message}). Run the command as root (with sudo)`, {
      cause: error,
    });
  throw new Error(`systemd cannot be queried: ${error.message}`, { cause: error });
}

const refusals = new Set([
  'org.freedesktop.DBus.Error.AccessDenied',
  'org.freedesktop.DBus.Error.InteractiveAuthorizationRequired',
]);
