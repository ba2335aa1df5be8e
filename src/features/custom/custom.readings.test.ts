import { expect, test } from 'bun:test';
import type { Moment } from '../../core/readings/history.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import { defaultSettings } from '../index.ts';
import { customReadings } from './custom.readings.ts';

type Sensor = Settings['custom']['sensors'][number];

const configured = (sensors: Partial<Sensor>[]) =>
  customReadings.history?.configured?.({
    ...defaultSettings,
    custom: {
      sensors: sensors.map((given) => ({
        id: 'x',
        name: 'X',
        unit: '',
        command: '',
        file: '/x',
        interval: 60,
        parse: 'number',
        path: '',
        record: true,
        ...given,
      })) as Sensor[],
    },
  });

test('numbers and JSON are series unless recording is off; texts are not', () => {
  expect(configured([])).toEqual({});
  expect(
    configured([
      { id: 'queue', name: 'Mail queue', unit: 'mails' },
      { id: 'door', parse: 'json' },
      { id: 'text', parse: 'text' },
      { id: 'lines', parse: 'lines' },
      { id: 'dear', record: false },
    ]),
  ).toEqual({
    'custom.queue': { unit: 'mails', title: 'Mail queue', description: 'Mail queue' },
    'custom.door': { unit: '', title: 'X', description: 'X' },
  });
});

test.each([
  [17, null, 17],
  [-2.5, null, -2.5],
  [true, null, 1],
  [false, null, 0],
  [1e300, null, 1e14],
  ['open', null, null],
  [{ a: 1 }, null, null],
  [null, null, null],
  // The last good value is not the current value.
  [17, 'Its command exited with code 1', null],
])('%j with the error %j is recorded as %j', (value, error, recorded) => {
  const found: unknown[] = [];
  const moment = { value: (...given: unknown[]) => void found.push(given) } as unknown as Moment;
  const sensor = { id: 'a', name: 'A', unit: '', parse: 'json' as const, value, at: 1, error };
  customReadings.history?.read?.({ sensors: [sensor] }, moment);
  expect(found).toEqual([['custom.a', recorded]]);
});
