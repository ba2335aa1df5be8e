import { expect, test } from 'bun:test';
import { testEachMachine } from '../../../test/harness/machines.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import { SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION } from '../../host/windows/native/ntdll.structs.ts';
import { parseProcessors, processorSharesBetween, secondsOf } from './cpu.processors.windows.ts';
import { cpu } from './cpu.ts';
import { cpuWindows, familyOf } from './cpu.windows.ts';

testEachMachine('windows', import.meta.dirname, cpu.module, cpuWindows);

test('times of a processor: kernel time includes idle, DPC and interrupt time', () => {
  const at = (factor: number) =>
    structBytes(SYSTEM_PROCESSOR_PERFORMANCE_INFORMATION, {
      IdleTime: 60e7 * factor,
      KernelTime: 75e7 * factor,
      UserTime: 25e7 * factor,
      'Reserved1[0]': 3e7 * factor,
      'Reserved1[1]': 2e7 * factor,
      Reserved2: 1000 * factor,
    });
  const [before] = parseProcessors(at(1));
  const [after] = parseProcessors(at(2));
  if (before === undefined || after === undefined) throw new Error('there is one');
  expect(secondsOf(before)).toEqual({ user: 25, system: 10, idle: 60, interrupt: 2, dpc: 3 });
  expect(processorSharesBetween(before, after)).toEqual({
    usage: 40,
    shares: { user: 25, system: 10, idle: 60, interrupt: 2, dpc: 3 },
  });
  expect(before.interrupts).toBe(1000);
});

test.each([
  ['Intel64 Family 6 Model 158 Stepping 10', '6'],
  ['AMD64 Family 25 Model 97 Stepping 2', '25'],
  ['ARMv8 (64-bit) Family 8 Model D4B Revision 0', 'ARMv8'],
  [null, null],
])('the family of %p', (identifier, family) => {
  expect(familyOf(identifier)).toBe(family);
});
