import fs from 'node:fs';
import path from 'node:path';
import type { Sample } from '../../src/core/readings/metrics.ts';
import { glancesPlugins } from '../../src/transports/glances/glances.ts';
import type { Measurements, Measuring, SourceModule } from '../../src/transports/glances/measurements.ts';

const features = path.resolve(import.meta.dirname, '../../src/features');
const modules = [...new Set([...glancesPlugins.values()].flatMap(({ needs }) => needs))].filter(
  (name) => name !== 'alerts',
);

/** The payloads of the fixture machines that the API of Glances reads, by module. */
export const recordedPayloads = new Map(
  modules.map((name) => {
    const folder = path.join(features, name, 'fixtures', 'linux');
    const files = fs.readdirSync(folder).map((machine) => path.join(folder, machine, 'expected.json'));
    return [name, files.map((file) => JSON.parse(fs.readFileSync(file, 'utf8'))).filter((payload) => payload !== null)];
  }),
);

/** Measurements of a machine with these payloads, whose counters were half as high `seconds` ago. */
export function measuringOf(
  payloads: Record<string, unknown>,
  seconds = 5,
  samples = new Map<string, Sample[]>(),
): Measuring {
  const pairOf = (name: SourceModule) => {
    const payload = payloads[name] ?? null;
    if (payload === null) return null;
    const now = { payload, samples, takenAt: 10_000 };
    return { now, before: { ...now, payload: halved(payload) }, seconds };
  };
  return { take: async (names) => Object.fromEntries(names.map((name) => [name, pairOf(name)])) as Measurements };
}

const halved = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, each) => (Number.isInteger(each) ? Math.floor(each / 2) : each));
