import { expect, test } from 'bun:test';
import { z } from 'zod';
import { maxFields } from '../../core/json/selection.ts';
import { selectedBy } from './query.ts';

const schema = async () =>
  z.object({
    usage: z.number().nullable(),
    devices: z.array(z.object({ name: z.string(), parts: z.array(z.object({ size: z.number() })).nullable() })),
    tables: z.record(z.string(), z.object({ rows: z.number() })),
  });
const value = {
  usage: 3,
  devices: [
    { name: 'a', parts: [{ size: 1 }, { size: 2 }] },
    { name: 'b', parts: null },
  ],
  tables: { one: { rows: 1 }, two: { rows: 2 } },
};
const part = (query: string) => selectedBy(query, value, schema, 'house');

test('fields select properties, through lists and tables', async () => {
  expect(await part('fields=usage,devices.name')).toEqual({ usage: 3, devices: [{ name: 'a' }, { name: 'b' }] });
  expect(await part('fields=devices.parts.size')).toEqual({
    devices: [{ parts: [{ size: 1 }, { size: 2 }] }, { parts: null }],
  });
  expect(await part('fields=tables.two')).toEqual({ tables: { two: { rows: 2 } } });
  expect(await part('fields=devices&fields=devices.name')).toEqual({ devices: value.devices });
});

test('limit applies to every list', async () => {
  expect(await part('limit=1&fields=devices')).toEqual({ devices: [{ name: 'a', parts: [{ size: 1 }] }] });
  expect(await part('limit=9')).toEqual(value);
});

test.each([
  ['fields=usge', 'house has no field "usge": there are usage, devices, tables'],
  ['fields=devices.nam', 'house has no field "devices.nam": there are name, parts'],
  ['fields=usage.deeper', 'house has no field "usage.deeper": nothing is below it'],
  ['fields=toString', 'house has no field "toString": there are usage, devices, tables'],
  ['fields=__proto__', 'house has no field "__proto__": there are usage, devices, tables'],
  ['fields=,', 'fields must name at least one field: separate fields by commas, and parts of a path by dots'],
  ['limit=0', 'limit must be one whole number of at least 1'],
  ['limit=-1', 'limit must be one whole number of at least 1'],
  ['limit=1e3', 'limit must be one whole number of at least 1'],
  ['limit=2&limit=3', 'limit must be one whole number of at least 1'],
])('%s is refused', async (query, sentence) => {
  await expect(part(query)).rejects.toThrow(sentence);
});

test('a schema is walked once for many requests', async () => {
  let looks = 0;
  const watched = new Proxy(await schema(), {
    get(target, name) {
      looks += 1;
      return Reflect.get(target, name);
    },
  });
  const ask = () => selectedBy('fields=usage', value, async () => watched, 'house');
  await ask();
  expect(looks).toBeGreaterThan(0);
  const before = looks;
  expect(await ask()).toEqual({ usage: 3 });
  await expect(selectedBy('fields=usge', value, async () => watched, 'house')).rejects.toThrow('no field');
  // An async function checks whether it returns a promise.
  expect(looks - before).toBeLessThanOrEqual(2);
});

test('a field that is repeated is picked once', async () => {
  let reads = 0;
  const entry = {
    get usage() {
      reads += 1;
      return 3;
    },
  };
  expect(await selectedBy(`fields=${'usage,'.repeat(2500)}`, entry, schema, 'house')).toEqual({ usage: 3 });
  expect(reads).toBe(1);
});

test('the number of different fields is limited', async () => {
  const fields = (count: number) => Array.from({ length: count }, (_, index) => `tables.t${index}`).join(',');
  expect(await part(`fields=${fields(maxFields)}`)).toEqual({ tables: {} });
  await expect(part(`fields=${fields(maxFields)}&fields=usage`)).rejects.toThrow('fields must name at most 100 fields');
});
