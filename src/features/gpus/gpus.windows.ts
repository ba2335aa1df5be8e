import path from 'node:path';
import type { CreateSource } from '../../core/module.ts';
import { definePart, partOf } from '../../core/part.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { createPairs, type Pair } from '../../lib/sample-pair.ts';
import { createNvidia, type NvidiaGpu } from './gpus.nvidia.ts';
import type { Gpu, Gpus } from './gpus.schema.ts';
import type { GpuMetric } from './gpus.values.ts';
import { createNvml, type Nvml, nvml } from './nvidia/nvml.ts';
import { type D3dkmt, d3dkmtLibrary } from './windows/d3dkmt.ts';
import { dxgiLibrary } from './windows/dxgi.ts';
import { type GpuLibraries, listAdapters, type WindowsGpu } from './windows/gpus.adapters.ts';
import { busiest, type RunningTimes, readKernel, readRunningTimes } from './windows/gpus.kernel.ts';

/** How long a list of adapters is used: docks and drivers come and go. */
const listedForMs = 30_000;

/** In the directory of the system, where the driver puts it. */
export const nvmlWindows = definePart<Nvml, WindowsHost>({
  ...nvml,
  create: ({ environment }) =>
    createNvml([path.win32.join(environment.variable('SystemRoot') ?? 'C:\\Windows', 'System32', 'nvml.dll')]),
});

/** NVIDIA's library for its GPUs; DirectX and the graphics kernel for the others. */
export const gpusWindows: CreateSource<Gpus, WindowsHost> = (host) => {
  const nvidia = createNvidia({ open: async () => (await partOf(host, nvmlWindows)).open() }, host.clock);
  let listed: { gpus: WindowsGpu[]; at: number } | null = null;
  let sampled: { d3dkmt: D3dkmt; gpus: WindowsGpu[] } | null = null;
  const take = createPairs<RunningTimes>(host.clock, () =>
    sampled === null ? new Map() : readRunningTimes(sampled.d3dkmt, sampled.gpus),
  );
  const list = (libraries: GpuLibraries) => {
    const now = host.clock.monotonic();
    if (listed === null || now - listed.at > listedForMs) listed = { gpus: listAdapters(libraries), at: now };
    return listed.gpus;
  };

  return {
    async read(reasons) {
      const { advapi32 } = await host.native();
      const dxgi = await host.native(dxgiLibrary);
      const d3dkmt = await host.native(d3dkmtLibrary);
      const known = list({ advapi32, dxgi, d3dkmt });
      const driver = known.some(({ isNvidia }) => isNvidia) ? await nvidia.read() : { gpus: [], problem: null };
      // With the registry only, NVIDIA's GPUs cannot be matched to adapters.
      const isOfNvidia = (gpu: WindowsGpu) =>
        gpu.isNvidia && driver.gpus.some(({ id, lost }) => !lost && (gpu.luid === null || id === gpu.id));
      const others = known.filter((gpu) => !isOfNvidia(gpu));
      sampled = { d3dkmt, gpus: others };
      const pair = others.some(({ luid }) => luid !== null) ? await take() : null;
      const gpus = [
        ...driver.gpus
          .filter(({ id, lost }) => !lost || !others.some((gpu) => gpu.id === id))
          .map((gpu) => fromNvidia(gpu, reasons)),
        ...others.map((gpu) => fromWindows(gpu, d3dkmt, pair, gpu.isNvidia ? driver.problem : null, reasons)),
      ];
      if (gpus.length === 0) reasons.inherent(null, 'This machine has no GPU');
      else reasons.inherent('[].fan_speed', 'The module sensors reports the fans');
      return gpus;
    },
    close: nvidia.close,
  };
};

function fromNvidia({ id, name, metrics, problems }: NvidiaGpu, reasons: Reasons): Gpu {
  const called = name ?? 'NVIDIA GPU';
  for (const { metric, sentence, mendable } of problems)
    reasons[mendable ? 'missing' : 'inherent'](`[].${metric}`, `${called}: ${sentence}`);
  return { id, name: called, ...metrics, fan_speed: null };
}

function fromWindows(
  gpu: WindowsGpu,
  d3dkmt: D3dkmt,
  pair: Pair<RunningTimes> | null,
  problem: string | null,
  reasons: Reasons,
): Gpu {
  const core_load = pair === null ? null : busiest(pair.before.get(gpu.id), pair.after.get(gpu.id), pair.seconds);
  const metrics = { ...readKernel(d3dkmt, gpu), core_load };
  for (const [metric, value] of Object.entries(metrics) as [GpuMetric, number | null][]) {
    if (value !== null) continue;
    // With a problem, the values of the vendor library are missing; otherwise Windows reports the value for no GPU.
    if (problem !== null) reasons.missing(`[].${metric}`, `${gpu.name}: ${problem}`);
    else reasons.inherent(`[].${metric}`, `${gpu.name}: ${silence(metric, gpu)}`);
  }
  return { id: gpu.id, name: gpu.name, ...metrics, fan_speed: null };
}

function silence(metric: GpuMetric, { luid, memory }: WindowsGpu): string {
  if (metric === 'power_usage') return 'Windows reports the power draw only as a share of the board limit';
  if (metric === 'memory_load') return 'Windows does not count how long the memory is in use';
  if (luid === null) return 'DirectX does not list it, so Windows has no counters for it';
  if (metric === 'core_load') return 'Its driver names no engines whose work Windows could count';
  if (metric.startsWith('memory_') && metric !== 'memory_clock' && memory === null) return 'It uses system memory';
  return 'Its driver does not report it';
}
