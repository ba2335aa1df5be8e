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

test('processes come busiest first, and only the busiest', async () => {
  const processes = Array.from({ length: 300 }, (_, id) => ({
    id,
    name: 'kworker',
    cpu_usage: id % 7,
    memory_usage: id,
  }));
  const { context } = toolContext({ processes });
  const input = (await getModule.input(context.modules)).parse({ module: 'processes' });
  const { data, truncated, hint } = await getModule.run(input, context);
  const ids = (data as { id: number }[]).map(({ id }) => id);
  expect(ids).toHaveLength(15);
  expect(ids.slice(0, 2)).toEqual([293, 286]);
  expect(truncated).toEqual([{ field: '[]', shown: 15, total: 300 }]);
  expect(hint).toContain('list_processes');
});

test('interfaces come by their traffic, and nulls with their reasons', async () => {
  const networks = {
    networks: [1, 9, 5].map((sent) => ({ name: `n${sent}`, io: { bytes_sent: sent, bytes_recv: 0 } })),
    io: null,
  };
  const { context } = toolContext({ networks });
  const reason = { field: 'io', reason: 'the counters cannot be read', mendable: true };
  const read = async (module: string) => ({ ...(await context.read(module)), reasons: [reason] });
  const asked = async (words: object) =>
    await getModule.run((await getModule.input(context.modules)).parse({ module: 'networks', ...words }), {
      ...context,
      read,
    });
  const all = await asked({});
  expect(all.data).toMatchObject({ networks: [{ name: 'n9' }, { name: 'n5' }, { name: 'n1' }] });
  expect(all.why_null).toEqual([{ field: 'io', reason: 'the counters cannot be read' }]);
  expect(await asked({ fields: ['networks.name'] })).not.toHaveProperty('why_null');
});
