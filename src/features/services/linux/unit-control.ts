import type { Bus } from '@hostler/dbus/dbus.ts';
import { systemdManager, systemdProperty } from '../../../host/linux/systemd/systemd-bus.ts';
import { type Clock, settledWithin, sleep } from '../../../lib/clock.ts';

/** State of a unit after a job. */
export interface OrderedUnit {
  /** Result of the job: done, failed, timeout, canceled, dependency, skipped …; null: still running. */
  result: string | null;
  active: string;
  sub: string;
  /** Result property of the last run: success, exit-code, signal …; null: this kind of unit has none. */
  outcome: string | null;
  /** false: a condition in its file did not hold, so it was not started. */
  isConditionMet: boolean;
}

const timeoutMs = 10_000;
/** Reloading takes long with thousands of units. */
const reloadWithinMs = 60_000;
const jobWithinMs = 45_000;
const settlesWithinMs = 500;
const pollEveryMs = 50;

/** Never prompts for a password: a job that needs one is refused. Throws BusError. */
export function createUnitOrders(bus: Bus, clock: Clock) {
  const call = (member: string, signature = '', body: unknown[] = [], limitMs = timeoutMs) =>
    bus.call({ ...systemdManager, member, signature, body, timeoutMs: limitMs });
  const load = async (unit: string) => String((await call('LoadUnit', 's', [unit]))[0]);
  const property = (path: string, kind: string, name: string) => systemdProperty(bus, path, kind, name, timeoutMs);

  const stateOf = async (path: string): Promise<Omit<OrderedUnit, 'result'>> => {
    const kind = kindOf(path);
    const [active, sub, outcome, condition] = await Promise.all([
      property(path, 'Unit', 'ActiveState'),
      property(path, 'Unit', 'SubState'),
      kind === null ? null : property(path, kind, 'Result').catch(() => null),
      property(path, 'Unit', 'ConditionResult').catch(() => true),
    ]);
    return {
      active: String(active),
      sub: String(sub),
      outcome: outcome === null ? null : String(outcome),
      isConditionMet: condition !== false,
    };
  };

  /** State after `settlesWithinMs`, or as soon as the unit has failed. */
  const settled = async (path: string): Promise<Omit<OrderedUnit, 'result'>> => {
    const end = clock.monotonic() + settlesWithinMs;
    for (;;) {
      const state = await stateOf(path);
      if (state.active === 'failed' || clock.monotonic() >= end) return state;
      await sleep(clock, pollEveryMs);
    }
  };

  return {
    /** not-found, loaded, masked …; the query loads the unit. */
    loadState: async (unit: string) => String(await property(await load(unit), 'Unit', 'LoadState')),
    /** Runs a job and waits for its end, and 500 ms more after a start: many services fail right after it. */
    async run(method: 'StartUnit' | 'StopUnit' | 'RestartUnit', unit: string): Promise<OrderedUnit> {
      const path = await load(unit);
      const results = new Map<string, string>();
      let jobRemoved = () => {};
      const { destination: sender, ...manager } = systemdManager;
      const stop = await bus.subscribe({ sender, ...manager, member: 'JobRemoved' }, ({ body: [, job, , result] }) => {
        results.set(String(job), String(result));
        jobRemoved();
      });
      // systemd announces JobRemoved to the caller of a job; only subscribed connections receive it reliably.
      await call('Subscribe').catch(() => {});
      try {
        const job = String((await call(method, 'ss', [unit, 'replace']))[0]);
        const ended = Promise.withResolvers<void>();
        jobRemoved = () => {
          if (results.has(job)) ended.resolve();
        };
        jobRemoved();
        await settledWithin(clock, ended.promise, jobWithinMs);
        const result = results.get(job) ?? null;
        const state = result === null || method === 'StopUnit' ? await stateOf(path) : await settled(path);
        return { result, ...state };
      } finally {
        stop();
      }
    },
    /** false: the unit file has no [Install] section, so nothing was changed. */
    async enable(unit: string): Promise<boolean> {
      const [carries, changes] = await call('EnableUnitFiles', 'asbb', [[unit], false, false]);
      await call('Reload', '', [], reloadWithinMs);
      return carries === true || (Array.isArray(changes) && changes.length > 0);
    },
    async disable(unit: string): Promise<void> {
      await call('DisableUnitFiles', 'asb', [[unit], false]);
      await call('Reload', '', [], reloadWithinMs);
    },
    /** As `systemctl is-enabled` prints it. */
    fileState: async (unit: string) => String((await call('GetUnitFileState', 's', [unit], reloadWithinMs))[0]),
  };
}

const kinds: Record<string, string> = {
  service: 'Service',
  timer: 'Timer',
  socket: 'Socket',
  path: 'Path',
  mount: 'Mount',
};

/** Object paths escape the dot before the suffix of the unit. */
function kindOf(path: string): string | null {
  return kinds[/_2e([a-z]+)$/.exec(path)?.[1] ?? ''] ?? null;
}
