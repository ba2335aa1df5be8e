import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { testEachMachine } from '../../../test/harness/machines.ts';
import { gpusLinux } from './gpus.linux.ts';
import { gpus } from './gpus.ts';
import type { NvmlDevice, NvmlReading } from './nvidia/nvml.library.ts';
import type { Nvml } from './nvidia/nvml.ts';

interface FakeNvml {
  gpus?: (Omit<NvmlDevice, 'read'> & NvmlReading)[];
  error?: string;
}

/** What the driver of the machine would say; without nvml.json nobody may ask it. */
function nvmlOf(machine: string): { nvml?: Nvml } {
  const file = path.join(import.meta.dirname, 'fixtures', 'linux', machine, 'nvml.json');
  if (!fs.existsSync(file)) return {};
  const { gpus: known = [], error }: FakeNvml = JSON.parse(fs.readFileSync(file, 'utf8'));
  const open = async () => {
    if (error !== undefined) throw new Error(error);
    return { devices: known.map((gpu) => ({ ...gpu, read: () => gpu })), close: () => {} };
  };
  return { nvml: { open } };
}

testEachMachine('linux', import.meta.dirname, gpus.module, gpusLinux, nvmlOf);

test('the empty payload keeps to the schema', async () => {
  expect((await gpus.module.schema()).parse(gpus.module.empty)).toEqual([]);
});
