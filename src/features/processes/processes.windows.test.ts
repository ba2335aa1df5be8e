import { expect, test } from 'bun:test';
import { testEachMachine } from '../../../test/harness/machines.ts';
import { joined, structBytes } from '../../../test/harness/struct-bytes.ts';
import { SYSTEM_PROCESS_INFORMATION, SYSTEM_THREAD_INFORMATION } from '../../host/windows/native/ntdll.structs.ts';
import { parseProcessList } from './processes.list.windows.ts';
import { processes } from './processes.ts';
import { processesWindows } from './processes.windows.ts';

testEachMachine('windows', import.meta.dirname, processes.module, processesWindows);

test.each([
  [
    'running',
    [
      [5, 6],
      [2, 0],
    ],
  ],
  [
    'sleeping',
    [
      [5, 6],
      [5, 5],
    ],
  ],
  [
    'stopped',
    [
      [5, 5],
      [5, 5],
    ],
  ],
  ['unknown', []],
] as const)('a process is %s when its threads are in the states %p', (status, threads) => {
  const process = structBytes(SYSTEM_PROCESS_INFORMATION, { UniqueProcessId: 8, dwThreadCount: threads.length });
  const all = threads.map(([dwThreadState, dwWaitReason]) =>
    structBytes(SYSTEM_THREAD_INFORMATION, { dwThreadState, dwWaitReason }),
  );
  expect(parseProcessList({ at: 4096, bytes: joined(process, ...all) })).toMatchObject([
    { pid: 8, status, created: null },
  ]);
});

test('a truncated list returns its complete entries, and a name outside the block is empty', () => {
  const first = structBytes(SYSTEM_PROCESS_INFORMATION, {
    NextEntryOffset: 256,
    UniqueProcessId: 4,
    'ProcessName.Buffer': 99,
    'ProcessName.Length': 12,
  });
  const list = parseProcessList({ at: 4096, bytes: joined(first, first.subarray(0, 100)) });
  expect(list).toMatchObject([{ pid: 4, name: '' }]);
});
