import type { Bus } from '@hostler/dbus/dbus.ts';
import { systemdManager, systemdProperty } from '../../../host/linux/systemd/systemd-bus.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';

/** What becomes of a unit that something was ordered for. */
export interface OrderedUnit {
  /** How the order ended: done, failed, timeout, canceled, dependency, skipped …; null: it has not ended yet. */
  result: string | null;
  active: string;
  sub: string;
  /** What its manager says about its last run: success, exit-code, signal …; null: this kind of unit does not say. */
  outcome: string | null;
  /** false: a condition in its file did not hold, so that it was not started. */
  isConditionMet: boolean;
}

export interface UnitOrders {
  /** not-found, loaded, masked …; asking loads it. */
  loadState(unit: string): Promise<string>;
  /** Carries a job out, and waits for its end and a moment longer: many services fail right after they were started. */
  run(method: 'StartUnit' | 'StopUnit' | 'RestartUnit', unit: string): Promise<OrderedUnit>;
  /** false: the file of the unit does not say how to enable it, so that nothing was changed. */
  enable(unit: string): Promise<boolean>;
  disable(unit: string): Promise<void>;
  /** In the words of systemctl is-enabled. */
  fileState(unit: string): Promise<string>;
}

const timeoutMs = 10_000;
/** Reading all units again takes long where there are thousands. */
const reloadWithinMs = 60_000;
const jobWithinMs = 45_000;
const settlesWithinMs = 500;
const lookEveryMs = 50;

/** Nobody is asked for a password: what takes one is refused. Throws BusError. */
export function createUnitOrders(bus: Bus, clock: Clock): UnitOrders {
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

  /** Until it is neither on its way nor has failed, for a moment; a failure is final. */
  const settled = async (path: string): Promise<Omit<OrderedUnit, 'result'>> => {
    const end = clock.monotonic() + settlesWithinMs;
    for (;;) {
      const state = await stateOf(path);
      if (state.active === 'failed' || clock.monotonic() >= end) return state;
      await sleep(clock, lookEveryMs);
    }
  };

  return {
    loadState: async (unit) => String(await property(await load(unit), 'Unit', 'LoadState')),
    async run(method, unit) {
      const path = await load(unit);
      const results = new Map<string, string>();
      let heard = () => {};
      const { path: managerPath, interface: iface, destination } = systemdManager;
      const stop = await bus.subscribe(
        { sender: destination, path: managerPath, interface: iface, member: 'JobRemoved' },
        ({ body: [, job, , result] }) => {
          results.set(String(job), String(result));
          heard();
        },
      );
      // Whoever only starts something is told of its end as well; whoever says that he listens is told for certain.
      await call('Subscribe').catch(() => {});
      try {
        const job = String((await call(method, 'ss', [unit, 'replace']))[0]);
        const ended = Promise.withResolvers<string | null>();
        const look = () => {
          const result = results.get(job);
          if (result !== undefined) ended.resolve(result);
        };
        heard = look;
        look();
        const cancel = clock.after(jobWithinMs, () => ended.resolve(null));
        const result = await ended.promise;
        cancel();
        const state = result === null || method === 'StopUnit' ? await stateOf(path) : await settled(path);
        return { result, ...state };
      } finally {
        stop();
      }
    },
    async enable(unit) {
      const [carries, changes] = await call('EnableUnitFiles', 'asbb', [[unit], false, false]);
      await call('Reload', '', [], reloadWithinMs);
      return carries === true || (Array.isArray(changes) && changes.length > 0);
    },
    async disable(unit) {
      await call('DisableUnitFiles', 'asb', [[unit], false]);
      await call('Reload', '', [], reloadWithinMs);
    },
    fileState: async (unit) => String((await call('GetUnitFileState', 's', [unit], reloadWithinMs))[0]),
  };
}

const kinds: Record<string, string> = {
  service: 'Service',
  timer: 'Timer',
  socket: 'Socket',
  path: 'Path',
  mount: 'Mount',
};

/** Paths escape the dot before the kind of the unit. */
function kindOf(path: string): string | null {
  return kinds[/_2e([a-z]+)$/.exec(path)?.[1] ?? ''] ?? null;
}
