import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { readings } from './readings.ts';
import { each } from './rows.ts';

interface Units {
  units: { name: string; state: string }[];
}

const table = readings<Units>({
  rows: [
    each(({ units }) => units, { label: ({ name }: Units['units'][number]) => ({ name }), key: ({ name }) => name }, [
      {
        id: 'unit_{key}',
        name: 'Unit {title}',
        value: ({ state }) => state,
        entity: { stateClass: null },
        prometheus: { name: 'unit_state', oneOf: ['on', 'off'] },
        otlp: [
          {
            name: 'unit.state',
            unit: '1',
            kind: 'sum',
            isWhole: true,
            attributes: ({ state = '' }, value) => (value > 0 ? { state } : null),
          },
        ],
      },
    ]),
  ],
  history: { sets: { on: { kind: 'unit', description: '', came: (name) => name, went: (name) => name } } },
  sampler: { linux: async () => () => ({ sample() {} }) },
});

test('the title of an entry is not used as a replacement pattern', async () => {
  const entities = await table.entities?.(fakeHost());
  const [entity] = entities?.read({ units: [{ name: "$& $$ $'", state: 'on' }] }, null) ?? [];
  expect(entity?.name).toBe("Unit $& $$ $'");
});

test('OTLP attributes can leave out the states an entry does not have', () => {
  const scraped = table.metrics?.read({ units: [{ name: 'a', state: 'on' }] }) ?? [];
  const found = (name: string) => scraped.find((metric) => metric.name === name)?.samples ?? [];
  expect(found('unit_state').map(({ labels, value }) => [labels, value])).toEqual([
    [{ name: 'a', state: 'on' }, 1],
    [{ name: 'a', state: 'off' }, 0],
  ]);
  expect(table.otlp?.().metrics(found, 0)[0]?.points).toEqual([{ attributes: { state: 'on' }, value: 1 }]);
});

test('a table whose series only come from a sampler does not read the payload', () => {
  expect(table.history?.read).toBeUndefined();
  expect(table.history?.samplers).toHaveProperty('linux');
  const withMembers = readings<Units>({
    rows: [],
    history: { sets: { on: { kind: 'unit', description: '', came: String, went: String, members: () => [] } } },
  });
  expect(withMembers.history?.read).toBeFunction();
});
