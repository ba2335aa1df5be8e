import type { HistorySampler, ModuleHistory } from '../core/readings/history.ts';
import type { Store } from '../core/store.ts';
import type { Host } from '../host/host.ts';
import { ServiceError } from '../lib/errors.ts';
import type { Settings } from '../settings/settings.schema.ts';

interface ConfiguredParts {
  store: Pick<Store, 'get'>;
  host: Pick<Host, 'clock'>;
  settings(): Settings;
}

/** A larger drift between the clocks means a set clock or a sleep: earlier values are outdated. */
const jumpMs = 2000;

/**
 * Series that the settings name; null: the module has none. Sampling does not wait for them: a sample has the values read since
 * the previous sample, and starts the next reading. While the settings name none, nothing is read.
 */
export function createConfiguredSampler(
  name: string,
  { configured, read }: ModuleHistory<unknown>,
  { store, host: { clock }, settings }: ConfiguredParts,
): HistorySampler | null {
  if (configured === undefined || read === undefined) return null;
  const lead = () => clock.now() - clock.monotonic();
  let found: { payload: unknown; lead: number } | null = null;
  let failure: unknown = null;
  let isReading = false;

  const begin = async () => {
    isReading = true;
    try {
      found = { payload: (await store.get(name)).payload, lead: lead() };
    } catch (error) {
      found = null;
      if (!(error instanceof ServiceError && error.code === 'not_found')) failure = error;
    }
    isReading = false;
  };

  return {
    sample(moment) {
      const values = new Map<string, number | null>(
        Object.keys(configured(settings())).map((series) => [series, null]),
      );
      if (values.size === 0) {
        found = null;
        return;
      }
      const before = found;
      if (!isReading) void begin();
      if (before !== null && Math.abs(before.lead - lead()) < jumpMs)
        read(before.payload, {
          ...moment,
          value(series, value) {
            if (values.has(series)) values.set(series, value);
          },
        });
      for (const [series, value] of values) moment.value(series, value);
      if (failure === null) return;
      const thrown = failure;
      failure = null;
      throw thrown;
    },
  };
}
