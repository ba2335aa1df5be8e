import { createReading, type Reading } from '../../src/core/reading.ts';
import type { Listener } from '../../src/core/store/poller.ts';
import type { ModuleState } from '../../src/core/store.ts';
import type { ToolContext } from '../../src/core/tool.ts';
import { ServiceError } from '../../src/lib/errors.ts';
import { fakeClock, noHistory } from '../doubles/fake-host.ts';

/** The context of a tool on a machine with the given module data. `say` changes the data of a module, also for listeners. */
export function toolContext(payloads: Record<string, unknown>, states: Partial<ModuleState>[] = []) {
  const clock = fakeClock();
  const current = new Map(Object.entries(payloads));
  const listeners = new Map<string, Set<Listener>>();
  const control = new AbortController();
  const reported: { done: number; total: number; message: string }[] = [];
  const reading = (module: string): Reading => createReading(current.get(module), [], clock);
  const context: ToolContext = {
    modules: Object.keys(payloads),
    async read(module) {
      if (current.has(module)) return reading(module);
      throw new ServiceError('not_found', `The module ${module} is not available here: the test has none`);
    },
    describe: async () => states.map(stateOf),
    listen(module, listener) {
      const all = listeners.get(module) ?? new Set();
      listeners.set(module, all.add(listener));
      return () => void all.delete(listener);
    },
    history: noHistory,
    failedUnits: async () => ({ units: [], reasons: [] }),
    now: clock.now,
    after: clock.after,
    signal: control.signal,
    progress: (done, total, message) => void reported.push({ done, total, message }),
  };
  return {
    context,
    clock,
    reported,
    cancel: () => control.abort(),
    listening: (module: string) => listeners.get(module)?.size ?? 0,
    say(module: string, payload: unknown) {
      current.set(module, payload);
      for (const listener of [...(listeners.get(module) ?? [])]) listener(reading(module));
    },
  };
}

const stateOf = (given: Partial<ModuleState>): ModuleState => ({
  name: '',
  description: '',
  interval_ms: 1000,
  availability: 'available',
  reasons: [],
  cost: { reads: 0, cpu_ms: 0, wall_ms: 0, bytes: 0, total_cpu_ms: 0 },
  ...given,
});

export type GivenContext = ReturnType<typeof toolContext>;
