import { expect, test } from 'bun:test';
import { toolContext } from '../../../test/harness/tool-context.ts';
import { listProcesses } from './list-processes.ts';

const process = (id: number, name: string, cpu_usage: number, more: object = {}) => ({
  id,
  name,
  cpu_usage,
  memory_usage: 1,
  created: 1_700_000_000 + id,
  path: `/bin/${name}`,
  status: 'sleeping',
  username: 'me',
  working_directory: '/',
  ...more,
});
const processes = [
  process(1, 'init', 0, { username: 'root', memory_usage: null }),
  process(2, 'Firefox', 55.55),
  process(3, 'firefox-child', 12.34, { memory_usage: 9.99 }),
  process(4, 'bash', 0),
];

async function list(words: Record<string, unknown>) {
  const input = (await listProcesses.input([])).parse(words);
  const output = await listProcesses.run(input, toolContext({ processes }).context);
  expect((await listProcesses.output()).parse(output)).toEqual(output);
  return output;
}
const pids = async (words: Record<string, unknown>) => (await list(words)).processes.map(({ pid }) => pid);

test('the busiest processes come first, with few fields', async () => {
  expect(await list({ limit: 2 })).toEqual({
    total: 4,
    matched: 4,
    processes: [
      { pid: 2, name: 'Firefox', cpu: 55.6, memory: 1 },
      { pid: 3, name: 'firefox-child', cpu: 12.3, memory: 10 },
    ],
    next_cursor: expect.any(String),
  });
});

test('the detail "full" adds fields', async () => {
  const {
    processes: [first],
  } = await list({ name_contains: 'bash', detail: 'full' });
  expect(first).toEqual({
    pid: 4,
    name: 'bash',
    cpu: 0,
    memory: 1,
    username: 'me',
    status: 'sleeping',
    path: '/bin/bash',
    working_directory: '/',
    started: '2023-11-14T22:13:24.000Z',
  });
});

test.each([
  [{ sort_by: 'memory' }, [3, 2, 4, 1]],
  [{ sort_by: 'name' }, [2, 4, 3, 1]],
  [{ sort_by: 'started' }, [4, 3, 2, 1]],
  [{ name_contains: 'FIREFOX' }, [2, 3]],
  [{ username: 'root' }, [1]],
  [{ min_cpu: 12.34 }, [2, 3]],
  [{ min_cpu: 99 }, []],
])('the arguments %j select and order processes', async (words, expected) => {
  expect(await pids(words)).toEqual(expected);
});

test('a cursor continues after its page, with the same arguments only', async () => {
  const first = await list({ limit: 3 });
  const second = await list({ limit: 3, cursor: first.next_cursor });
  expect([...first.processes, ...second.processes].map(({ pid }) => pid)).toEqual([2, 3, 4, 1]);
  expect(second.next_cursor).toBeUndefined();
  await expect(list({ limit: 3, username: 'me', cursor: first.next_cursor })).rejects.toThrow('does not belong');
  await expect(list({ cursor: 'x' })).rejects.toThrow('does not belong');
});

test('nulls have the reasons of the module, where a row of the page has one', async () => {
  const { context } = toolContext({ processes });
  const reasons = [{ field: '[].memory_usage', reason: 'no /proc/meminfo', mendable: true }];
  const read: typeof context.read = async (module) => ({ ...(await context.read(module)), reasons });
  const ask = async (words: object) =>
    (await listProcesses.run((await listProcesses.input([])).parse(words), { ...context, read })).why_null;
  expect(await ask({})).toEqual([{ fields: ['processes[].memory'], reason: 'no /proc/meminfo' }]);
  expect(await ask({ username: 'me' })).toBeUndefined();
});
