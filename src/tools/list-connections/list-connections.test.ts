import { expect, test } from 'bun:test';
import { toolContext } from '../../../test/harness/tool-context.ts';
import { listConnections } from './list-connections.ts';

const networks = {
  networks: [],
  io: null,
  connections: [
    { fd: 3, family: 2, type: 1, laddr: '0.0.0.0:22', raddr: null, status: 'LISTEN', pid: null },
    { fd: 4, family: 10, type: 1, laddr: '[::1]:9170', raddr: '[::1]:22', status: 'ESTABLISHED', pid: 7 },
    { fd: 5, family: 2, type: 2, laddr: '127.0.0.1:122', raddr: null, status: 'NONE', pid: 8 },
  ],
};

async function list(
  words: Record<string, unknown>,
  payloads: Record<string, unknown> = { networks, processes: [{ id: 7, name: 'hostler' }] },
) {
  const input = (await listConnections.input([])).parse(words);
  const output = await listConnections.run(input, toolContext(payloads).context);
  expect((await listConnections.output()).parse(output)).toEqual(output);
  return output;
}

test('sockets have the names of their known processes', async () => {
  const { connections, total } = await list({});
  expect(total).toBe(3);
  // Open ones first.
  expect(connections).toEqual([
    { protocol: 'tcp', local: '[::1]:9170', remote: '[::1]:22', status: 'ESTABLISHED', pid: 7, process: 'hostler' },
    { protocol: 'tcp', local: '0.0.0.0:22', remote: null, status: 'LISTEN', pid: null, process: null },
    { protocol: 'udp', local: '127.0.0.1:122', remote: null, status: 'NONE', pid: 8, process: null },
  ]);
});

test('without the processes there are no names', async () => {
  const { connections, why_null } = await list({ pid: 7 }, { networks });
  expect(connections.map(({ process }) => process)).toEqual([null]);
  expect(why_null).toEqual([
    { fields: ['connections[].process'], reason: 'The module processes is not available here: the test has none' },
  ]);
});

test.each([
  [{ status: 'listen' }, ['0.0.0.0:22']],
  [{ port: 22 }, ['[::1]:9170', '0.0.0.0:22']],
  [{ port: 2 }, []],
  [{ pid: 8 }, ['127.0.0.1:122']],
])('the filter %j selects connections', async (words, expected) => {
  expect((await list(words)).connections.map(({ local }) => local)).toEqual(expected);
});

test('the cursor of a page leads to the next page', async () => {
  const first = await list({ limit: 2 });
  expect((await list({ limit: 2, cursor: first.next_cursor })).connections.map(({ pid }) => pid)).toEqual([8]);
});

test('nulls have the reasons of the module', async () => {
  const { context } = toolContext({ networks, processes: [] });
  const reasons = [
    { field: 'connections[].raddr', reason: 'it listens', mendable: false },
    { field: 'connections[].pid', reason: 'it is hidden', mendable: true },
  ];
  const read: typeof context.read = async (module) => ({ ...(await context.read(module)), reasons });
  const { why_null } = await listConnections.run({ limit: 20, port: 22, status: 'LISTEN' }, { ...context, read });
  expect(why_null).toEqual([
    { fields: ['connections[].remote'], reason: 'it listens' },
    { fields: ['connections[].pid', 'connections[].process'], reason: 'it is hidden' },
  ]);
});
