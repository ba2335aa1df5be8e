import { z } from 'zod';
import type { ModuleDefinition, Source } from '../../src/core/module.ts';
import type { Reading } from '../../src/core/reading.ts';
import { createStore, type Store } from '../../src/core/store.ts';
import { defaultSettings } from '../../src/features/index.ts';
import { type FakeClock, fakeClock, fakeContext, fakeHost } from '../doubles/fake-host.ts';

export type TestPayload = { value: number | null };

export interface TestStore {
  store: Store;
  clock: FakeClock;
  reads(): number;
  closes(): number;
  /** How often `wasRead` was called. */
  noted(): number;
  logged: string[];
}

/** A store with one module, whose source is given. */
export function createTestStore(
  source: Partial<Source<TestPayload>>,
  given: Partial<ModuleDefinition<TestPayload>> = {},
  everyMs = 1000,
): TestStore {
  const clock = fakeClock();
  const logged: string[] = [];
  let reads = 0;
  let closes = 0;
  let noted = 0;
  let value = 0;
  const whole: Source<TestPayload> = {
    ...source,
    read(reasons) {
      reads += 1;
      return source.read === undefined ? { value: value++ } : source.read(reasons);
    },
    close() {
      closes += 1;
      source.close?.();
    },
  };
  const definition: ModuleDefinition<TestPayload> = {
    name: 'thing',
    description: 'A thing',
    schema: async () => z.object({ value: z.number().nullable() }),
    everyMs,
    empty: { value: null },
    sources: { linux: async () => () => whole },
    ...given,
  };
  const { log } = fakeContext();
  const settings = { ...defaultSettings, modules: { thing: { interval: everyMs } } };
  const context = fakeContext({
    settings: () => settings,
    log: { ...log, warn: (message) => logged.push(message) },
  });
  const wasRead = () => {
    noted += 1;
  };
  const store = createStore({ modules: [definition], host: fakeHost({ clock }), context, wasRead });
  return { store, clock, reads: () => reads, closes: () => closes, noted: () => noted, logged };
}

export const payloadOf = async (reading: Reading | Promise<Reading>) => (await reading).payload;
export const turn = () => new Promise((resolve) => setImmediate(resolve));
