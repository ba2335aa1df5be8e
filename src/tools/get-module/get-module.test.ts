import { expect, test } from 'bun:test';
import { toolContext } from '../../../test/harness/tool-context.ts';
import { getModule } from './get-module.ts';

const memory = { virtual: { total: 2, percent: 50 }, list: Array.from({ length: 60 }, (_, index) => index) };

async function get(words: Record<string, unknown>) {
  const { context } = toolContext({ memory });
  const output = await getModule.run(
    (await getModule.input(context.modules)).parse({ module: 'memory', ...words }),
    context,
  );
  expect((await getModule.output()).parse(output)).toEqual(output);
  return output;
}

test('all of it, with long lists cut and told', async () => {
  expect(await get({})).toEqual({
    module: 'memory',
    taken_at: '2026-01-01T00:00:00.000Z',
    data: { ...memory, list: memory.list.slice(0, 50) },
    truncated: [{ field: 'list[]', shown: 50, total: 60 }],
    hint: 'Name fields, or raise max_items, to see more',
  });
});

test('named fields only', async () => {
  expect(await get({ fields: ['virtual.percent'] })).toMatchObject({
    data: { virtual: { percent: 50 } },
    truncated: [],
  });
});

test('a field that is not there is answered with those that are', async () => {
  await expect(get({ fields: ['virtual.free'] })).rejects.toThrow(
    'memory has no field "virtual.free": "free" is unknown; available: total, percent',
  );
});

test('a module that is not there is no choice', async () => {
  await expect(get({ module: 'nothing' })).rejects.toThrow();
});
