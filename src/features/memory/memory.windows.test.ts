import { expect, test } from 'bun:test';
import { collectReasons, testEachMachine } from '../../../test/harness/machines.ts';
import { joined, structBytes } from '../../../test/harness/struct-bytes.ts';
import { MEMORYSTATUSEX, PERFORMANCE_INFORMATION } from '../../host/windows/native/kernel32.structs.ts';
import {
  SYSTEM_PAGEFILE_INFORMATION,
  SYSTEM_PERFORMANCE_INFORMATION,
} from '../../host/windows/native/ntdll.structs.ts';
import { memory } from './memory.ts';
import { memoryWindows, parseMemoryStatus } from './memory.windows.ts';

testEachMachine('windows', import.meta.dirname, memory.module, memoryWindows);

test('page files are added up, and a machine without one has none', () => {
  const status = structBytes(MEMORYSTATUSEX, { ullTotalPhys: 16e9, ullAvailPhys: 6e9 });
  const performance = structBytes(PERFORMANCE_INFORMATION, { PageSize: 4096, SystemCache: 1000 });
  const first = structBytes(SYSTEM_PAGEFILE_INFORMATION, { NextEntryOffset: 32, TotalSize: 1000, TotalInUse: 100 });
  const second = structBytes(SYSTEM_PAGEFILE_INFORMATION, { TotalSize: 3000, TotalInUse: 900 });
  const counters = structBytes(SYSTEM_PERFORMANCE_INFORMATION, { PagefilePagesWritten: 7 });
  const { reasons } = collectReasons();
  const parsed = (pageFiles: Uint8Array) => parseMemoryStatus({ status, performance, counters, pageFiles }, reasons);
  const { virtual, swap } = parsed(joined(first, second));
  expect(virtual).toMatchObject({ total: 16e9, used: 10e9, percent: 62.5, cached: 4_096_000 });
  expect(swap).toEqual({ total: 16_384_000, used: 4_096_000, free: 12_288_000, percent: 25, sin: null, sout: 28_672 });
  expect(parsed(new Uint8Array()).swap).toMatchObject({ total: 0, used: 0, free: 0, percent: 0 });
});
