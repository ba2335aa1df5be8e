import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { ModuleDefinition } from '../src/core/module.ts';
import type { Metric } from '../src/core/readings/metrics.ts';
import { modules } from '../src/features/index.ts';
import { fakeHost } from './doubles/fake-host.ts';

/**
 * Names that other systems store: Prometheus metrics with their labels, OTLP metrics, Home Assistant entities, history series and problems,
 * as found on all fixture machines. They never change. After a deliberate addition `UPDATE_PUBLISHED=1 npm test -- test/published-names.test.ts`
 * updates the list, and the diff shows what was added.
 */
const file = path.join(import.meta.dirname, 'fixtures', 'published-names.json');
const features = path.resolve(import.meta.dirname, '../src/features');

test('published names do not change', async () => {
  const found = Object.fromEntries(
    await Promise.all(modules.map(async (definition) => [definition.name, await publishedBy(definition)] as const)),
  );
  if (process.env.UPDATE_PUBLISHED) fs.writeFileSync(file, `${JSON.stringify(found, null, 1)}\n`);
  expect<unknown>(found).toEqual(JSON.parse(fs.readFileSync(file, 'utf8')));
});

async function publishedBy(definition: ModuleDefinition): Promise<Record<string, string[]>> {
  const metrics = await definition.metrics?.();
  const otlp = await definition.otlp?.();
  const history = await definition.history?.();
  const problems = await definition.problems?.();
  const names = { metrics: new Set<string>(), otlp: new Set<string>(), entities: new Set<string>() };
  for (const payload of payloadsOf(definition.name)) {
    const entities = await definition.entities?.(
      fakeHost({ platform: 'darwin' as never, network: { addresses: () => [], name: () => '' } as never }),
    );
    const scraped = metrics?.read(payload) ?? [];
    for (const { name, type, samples } of scraped)
      for (const { labels } of samples) names.metrics.add([name, type, ...Object.keys(labels).sort()].join(' '));
    for (const { name, unit, kind, points } of otlp?.().metrics(samplesIn(scraped), 0) ?? [])
      for (const { attributes } of points)
        names.otlp.add([name, unit, kind, ...Object.keys(attributes).sort()].join(' '));
    for (const { key, component, unit = '', deviceClass = '' } of entities?.read(payload, null) ?? [])
      names.entities.add(`${key}: ${component} ${unit} ${deviceClass}`.trim());
  }
  const sorted = (list: Iterable<string>) => [...list].sort();
  return {
    metrics: sorted(names.metrics),
    otlp: sorted(names.otlp),
    entities: sorted(names.entities),
    series: sorted(Object.entries(history?.series ?? {}).map(([name, { unit }]) => `${name} ${unit}`)),
    events: sorted([
      ...Object.values(history?.sets ?? {}).map(({ kind }) => kind),
      ...Object.keys(history?.events ?? {}),
    ]),
    problems: sorted(Object.keys(problems?.problems ?? {})),
  };
}

function payloadsOf(module: string): unknown[] {
  return ['linux', 'windows']
    .map((platform) => path.join(features, module, 'fixtures', platform))
    .filter((place) => fs.existsSync(place))
    .flatMap((place) => fs.readdirSync(place).map((machine) => path.join(place, machine, 'expected.json')))
    .filter((expected) => fs.existsSync(expected))
    .map((expected): unknown => JSON.parse(fs.readFileSync(expected, 'utf8')))
    .filter((payload) => payload !== null);
}

const samplesIn = (metrics: readonly Metric[]) => (name: string) =>
  metrics.find((metric) => metric.name === name)?.samples ?? [];
