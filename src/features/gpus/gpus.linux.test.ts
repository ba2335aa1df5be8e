import { expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { testEachMachine } from '../../../test/harness/machines.ts';
import { setPart } from '../../core/part.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { gpusLinux } from './gpus.linux.ts';
import { gpus } from './gpus.ts';
import type { NvmlDevice, NvmlReading } from './nvidia/nvml.library.ts';
import { nvml } from './nvidia/nvml.ts';

interface FakeNvml {
  gpus?: (Omit<NvmlDevice, 'read'> & NvmlReading)[];
  error?: string;
}

/** The driver's responses on this machine; without nvml.json the test fails if it is called. */
function setDriver(host: LinuxHost, _machine: string, root: string): void {
  const file = path.join(root, 'nvml.json');
  if (!fs.existsSync(file)) return;
  const { gpus: known = [], error }: FakeNvml = JSON.parse(fs.readFileSync(file, 'utf8'));
  const open = async () => {
    if (error !== undefined) throw new Error(error);
    return { devices: known.map((gpu) => ({ ...gpu, read: () => gpu })), close: () => {} };
  };
  setPart(host, nvml, { open });
}

testEachMachine('linux', import.meta.dirname, gpus.module, gpusLinux, undefined, setDriver);

test('the empty payload matches the schema', async () => {
  expect((await gpus.module.schema()).parse(gpus.module.empty)).toEqual([]);
});
