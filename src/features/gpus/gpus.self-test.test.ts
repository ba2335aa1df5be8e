import { expect, test } from 'bun:test';
import { compareGpu, summarize } from './gpus.self-test.ts';
import { parseSmi, type SmiGpu } from './nvidia/nvidia-smi.ts';

const csv = `00000000:01:00.0, NVIDIA H200, 345, 0, 3201, 0, 143156, 0, 143771, 77.28, 34
00010000:E1:00.0, NVIDIA H100, 1980, [N/A], 1593, [Not Supported], 80000, 1559, 81559, 512.10, 61
`;

test('the output of nvidia-smi is parsed into our fields', () => {
  expect(parseSmi(csv)).toEqual([
    {
      id: '0000:01:00.0',
      name: 'NVIDIA H200',
      core_clock: 345,
      core_load: 0,
      memory_clock: 3201,
      memory_load: 0,
      memory_free: 143156,
      memory_used: 0,
      memory_total: 143771,
      power_usage: 77.28,
      temperature: 34,
    },
    expect.objectContaining({ id: '10000:e1:00.0', core_load: null, memory_load: null }),
  ]);
  expect(parseSmi('\n')).toEqual([]);
});

const [smi = {}] = parseSmi(csv);
const differing = (ours: SmiGpu, after: SmiGpu = smi) =>
  compareGpu(smi, [{ ...smi, fan_speed: null, ...ours }], after)
    .filter(({ agrees }) => !agrees)
    .map(({ field }) => field);

test('equal values agree, and values between the one before and the one after', () => {
  expect(differing({})).toEqual([]);
  expect(differing({ core_clock: 1200 }, { ...smi, core_clock: 1980 })).toEqual([]);
});

test('every differing field is found', () => {
  expect(differing({ core_clock: 1980 })).toEqual(['core_clock']);
  expect(differing({ memory_total: 143770 })).toEqual(['memory_total']);
  expect(differing({ temperature: null, fan_speed: 30 })).toEqual(['temperature', 'fan_speed']);
  expect(differing({ name: 'H200' })).toEqual(['name']);
});

test('a GPU missing from our list differs in all fields', () => {
  expect(compareGpu(smi, [], smi).every(({ agrees }) => !agrees)).toBe(true);
});

test('changing values may differ occasionally, constant ones may not', () => {
  const rounds = (ours: SmiGpu, missed: number) =>
    summarize(
      Array.from({ length: 10 }, (_, round) =>
        compareGpu(smi, [{ ...smi, fan_speed: null, ...(round < missed ? ours : {}) }], smi),
      ).flat(),
    );
  const failed = (ours: SmiGpu, missed: number) =>
    rounds(ours, missed)
      .filter(({ passed }) => !passed)
      .map(({ field }) => field);
  expect(rounds({}, 0)).toHaveLength(12);
  expect(failed({ power_usage: 400 }, 2)).toEqual([]);
  expect(failed({ power_usage: 400 }, 3)).toEqual(['power_usage']);
  expect(failed({ memory_total: 1 }, 1)).toEqual(['memory_total']);
});
