import { expect, test } from 'bun:test';
import { toolContext } from '../../../test/harness/tool-context.ts';
import type { Reason } from '../../core/reasons.ts';
import type { GetModuleOutput } from './get-module.schema.ts';
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

test('the whole payload is returned, with long lists cut and reported', async () => {
  expect(await get({})).toEqual({
    module: 'memory',
    taken_at: '2026-01-01T00:00:00.000Z',
    data: { ...memory, list: memory.list.slice(0, 50) },
    truncated: [{ field: 'list[]', shown: 50, total: 60 }],
    next_offset: 50,
    hint: 'Name fields, or raise max_items, to see more',
  });
});

test('only the named fields are returned', async () => {
  expect(await get({ fields: ['virtual.percent'] })).toMatchObject({
    data: { virtual: { percent: 50 } },
    truncated: [],
  });
});

test('an unknown field is answered with the known ones', async () => {
  await expect(get({ fields: ['virtual.free'] })).rejects.toThrow(
    'memory has no field "virtual.free": "free" is unknown; available: total, percent',
  );
});

test('an unavailable module is not offered', async () => {
  await expect(get({ module: 'nothing' })).rejects.toThrow();
});

const processes = Array.from({ length: 300 }, (_, id) => ({
  id,
  name: 'kworker',
  cpu_usage: id % 7,
  memory_usage: id,
}));

async function ask(module: string, payload: unknown, words: object, reasons: Reason[] = []) {
  const { context } = toolContext({ [module]: payload });
  const read = async (name: string) => ({ ...(await context.read(name)), reasons });
  const input = (await getModule.input(context.modules)).parse({ module, ...words });
  const output = await getModule.run(input, { ...context, read });
  expect((await getModule.output()).parse(output)).toEqual(output);
  return output;
}

const idsIn = ({ data }: { data: unknown }) => (data as { id: number }[]).map(({ id }) => id);

test('processes come busiest first, and only the busiest', async () => {
  const page = await ask('processes', processes, {});
  expect(idsIn(page)).toHaveLength(10);
  expect(idsIn(page).slice(0, 2)).toEqual([293, 286]);
  expect(page.truncated).toEqual([{ field: '[]', shown: 10, total: 300 }]);
  expect(page.hint).toContain('list_processes');
});

test('the pages of processes list each one once', async () => {
  const seen: number[] = [];
  let offset: number | undefined = 0;
  for (; offset !== undefined; ) {
    const page: GetModuleOutput = await ask('processes', processes, { offset, max_items: 70 });
    seen.push(...idsIn(page));
    offset = page.next_offset;
    if (offset === undefined) expect(page.truncated).toEqual([{ field: '[]', from: 280, shown: 20, total: 300 }]);
  }
  expect(seen.toSorted((a, b) => a - b)).toEqual(processes.map(({ id }) => id));
  expect(await ask('processes', processes, { offset: 5000 })).toMatchObject({
    data: [],
    truncated: [{ field: '[]', from: 5000, shown: 0, total: 300 }],
  });
});

test('a page of networks splits its top-level lists, never a list inside an entry', async () => {
  const networks = Array.from({ length: 20 }, (_, index) => ({
    name: `n${index}`,
    addresses: [1, 2, 3],
    io: { bytes_sent: index, bytes_recv: 0 },
  }));
  const statuses = ['TIME_WAIT', 'LISTEN', 'CLOSE_WAIT', 'ESTABLISHED', 'NONE'];
  const connections = Array.from({ length: 100 }, (_, index) => ({ status: statuses[index % 5], pid: index }));
  const payload = { networks, connections, io: {} };
  const first = await ask('networks', payload, {});
  const seen = first.data as typeof payload;
  expect(seen.networks[0]).toMatchObject({ name: 'n19', addresses: [1, 2, 3] });
  expect([seen.networks.length, seen.connections.length]).toEqual([8, 8]);
  expect([first.next_offset, first.truncated]).toEqual([
    8,
    [
      { field: 'networks[]', shown: 8, total: 20 },
      { field: 'connections[]', shown: 8, total: 100 },
    ],
  ]);
  const all = (await ask('networks', payload, { fields: ['connections.status'], max_items: 100 })).data;
  const order = (all as { connections: { status: string }[] }).connections.map(({ status }) => status);
  expect([...new Set(order)]).toEqual(['ESTABLISHED', 'LISTEN', 'NONE', 'CLOSE_WAIT', 'TIME_WAIT']);
  const late = await ask('networks', payload, { offset: 16 });
  expect(late.data).toMatchObject({ networks: [{ name: 'n3', addresses: [1, 2, 3] }, {}, {}, {}] });
});

test('interfaces come by their traffic, and nulls with their reasons', async () => {
  const networks = {
    networks: [1, 9, 5].map((sent) => ({ name: `n${sent}`, io: { bytes_sent: sent, bytes_recv: 0 }, mtu: null })),
    io: null,
  };
  const reasons = [
    { field: 'io', reason: 'the counters cannot be read', mendable: true },
    { field: 'networks[].mtu', reason: 'it has no limit', mendable: false },
  ];
  const all = await ask('networks', networks, {}, reasons);
  expect(all.data).toMatchObject({ networks: [{ name: 'n9' }, { name: 'n5' }, { name: 'n1' }] });
  expect(all.why_null).toEqual([
    { fields: ['io'], reason: 'the counters cannot be read' },
    { fields: ['networks[].mtu'], reason: 'it has no limit' },
  ]);
  expect(await ask('networks', networks, { fields: ['networks.name'] }, reasons)).not.toHaveProperty('why_null');
  expect((await ask('networks', networks, { fields: ['networks.mtu'] }, reasons)).why_null).toHaveLength(1);
});
