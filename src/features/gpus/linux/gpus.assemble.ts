import type { Reasons } from '../../../core/reasons.ts';
import type { DrmUse } from '../../../host/linux/hardware/drm-clients.ts';
import type { NvidiaGpu, NvidiaReading } from '../gpus.nvidia.ts';
import type { Gpu, GpuProcess, Gpus } from '../gpus.schema.ts';
import {
  busiestFirst,
  type GpuMetric,
  type Metrics,
  mebibytes,
  percent,
  rounded,
  unknownMetrics,
} from '../gpus.values.ts';
import type { KnownGpu } from './gpus.inventory.ts';
import { countsClients, needsClients, type Rates } from './gpus.rates.ts';

/** All GPUs, each once, with a reason for every unknown value. */
export function assemble(
  known: KnownGpu[],
  driver: NvidiaReading,
  rates: Rates,
  nameOf: NameOf,
  reasons: Reasons,
): Gpus {
  const byId = new Map(driver.gpus.map((gpu) => [gpu.id, gpu]));
  const gpus = known.map((gpu) => {
    const nvidia = byId.get(gpu.device.id);
    byId.delete(gpu.device.id);
    return nvidia === undefined || gpu.gone
      ? fromKernel(gpu, driver.problem, rates, nameOf, reasons)
      : fromNvidia(nvidia, nvidia.name ?? gpu.device.name, nameOf, reasons);
  });
  // Containers and some boards have GPUs on no visible bus.
  for (const nvidia of byId.values()) gpus.push(fromNvidia(nvidia, nvidia.name ?? 'NVIDIA GPU', nameOf, reasons));
  if (gpus.length > 0) reasons.inherent('[].fan_speed', 'The module sensors reports the fans');
  else if (driver.problem !== null) reasons.missing(null, driver.problem);
  else reasons.inherent(null, 'This machine has no GPU');
  return gpus;
}

export const isNvidia = ({ device }: KnownGpu) => device.driver === 'nvidia';

function fromNvidia(
  { id, metrics, problems, processes }: NvidiaGpu,
  name: string,
  nameOf: NameOf,
  reasons: Reasons,
): Gpu {
  for (const { metric, sentence, mendable } of problems) {
    reasons[mendable ? 'missing' : 'inherent'](`[].${metric}`, `${name}: ${sentence}`);
  }
  return { id, name, ...metrics, processes: toProcesses(processes, name, nameOf, reasons), fan_speed: null };
}

type NameOf = (pid: number) => string | null;

function toProcesses(uses: DrmUse[] | null, gpu: string, nameOf: NameOf, reasons: Reasons): GpuProcess[] | null {
  if (uses === null) return null;
  const processes = uses.map(({ pid, load, memory }) => ({
    pid,
    name: nameOf(pid),
    load: percent(load),
    memory: memory === null ? null : mebibytes(memory),
  }));
  const why = {
    name: 'The process has ended, or runs in another container',
    load: 'Its driver does not count it for each process',
    memory: 'Its driver does not count it for each process',
  };
  for (const field of ['name', 'load', 'memory'] as const)
    if (processes.some((process) => process[field] === null))
      reasons.inherent(`[].processes[].${field}`, `${gpu}: ${why[field]}`);
  return busiestFirst(processes);
}

function fromKernel(gpu: KnownGpu, problem: string | null, rates: Rates, nameOf: NameOf, reasons: Reasons): Gpu {
  const { metrics, why, mendable } = readKernel(gpu, problem, rates);
  const { id, name } = gpu.device;
  for (const [metric, value] of Object.entries(metrics) as [GpuMetric, number | null][]) {
    if (value === null) reasons[mendable ? 'missing' : 'inherent'](`[].${metric}`, `${name}: ${why(metric)}`);
  }
  const asleep = !gpu.gone && gpu.sysfs.asleep();
  const uses = asleep ? [] : countsClients(gpu) ? rates(id).uses : null;
  if (uses === null) reasons[mendable ? 'missing' : 'inherent']('[].processes', `${name}: ${why('processes')}`);
  return { id, name, ...metrics, processes: toProcesses(uses, name, nameOf, reasons), fan_speed: null };
}

interface Known {
  metrics: Metrics;
  /** Why one of them is null. */
  why(metric: GpuMetric | 'processes'): string;
  mendable: boolean;
}

function readKernel(gpu: KnownGpu, problem: string | null, rates: Rates): Known {
  const { device, sysfs, gone } = gpu;
  const unknown = (sentence: string): Known => ({ metrics: unknownMetrics, why: () => sentence, mendable: true });
  if (gone) return unknown('It has disappeared; reconnect it, or restart the service to remove it from the list');
  if (isNvidia(gpu) && problem !== null) return unknown(problem);
  if (sysfs.asleep()) {
    const metrics = { ...unknownMetrics, core_load: 0, memory_total: sysfs.memoryTotal };
    return { metrics, why: () => 'It is asleep, and querying it would wake it up', mendable: false };
  }
  if (isNvidia(gpu)) return unknown('The NVIDIA driver does not recognise it or has lost it; restart the machine');
  const metrics = sysfs.read();
  const { driver } = device;
  if (driver === null) {
    return { metrics, why: () => 'No driver is bound to it; install the driver of its vendor', mendable: true };
  }
  const { load, watts } = rates(device.id);
  metrics.core_load ??= percent(load);
  metrics.power_usage ??= rounded(watts);
  return { metrics, why: (metric) => silence(metric, gpu, driver), mendable: false };
}

function silence(metric: GpuMetric | 'processes', gpu: KnownGpu, driver: string): string {
  if (metric === 'core_load' && needsClients(gpu)) {
    return `The driver ${driver} counts per program, and no program that this user may inspect is using it`;
  }
  if (metric.startsWith('memory') && gpu.device.pci?.vendor === '8086') {
    return 'It uses system memory, or its driver does not report it';
  }
  return `The driver ${driver} does not report it`;
}
