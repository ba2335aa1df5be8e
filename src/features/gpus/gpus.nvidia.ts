import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../../lib/errors.ts';
import { type GpuMetric, type Metrics, mebibytes, percent, rounded, unknownMetrics } from './gpus.values.ts';
import type { NvmlDevice, NvmlMetric, NvmlProcess, NvmlReading } from './nvidia/nvml.library.ts';
import { endsSession, NVML_ERROR_NOT_SUPPORTED, type Nvml, type NvmlSession, nvmlProblem } from './nvidia/nvml.ts';

export interface NvidiaGpu {
  /** PCI address, or the driver's identifier. */
  id: string;
  name: string | null;
  metrics: Metrics;
  /** null: not reported by the driver. */
  processes: NvmlProcess[] | null;
  /** The driver listed it before, and no longer does. */
  lost: boolean;
  /** Why some are null, and whether the user can fix it. */
  problems: { metric: GpuMetric | 'processes'; sentence: string; mendable: boolean }[];
}

export interface NvidiaReading {
  gpus: NvidiaGpu[];
  /** Why the driver reports nothing; null: it does. */
  problem: string | null;
}

/** An open driver keeps its GPUs awake, so it is closed after this time without a read. */
const idleMs = 10_000;
/** Reopening it takes 8 ms of CPU time on an H200, so GPUs that stay awake are kept open between two samples of the history. */
const awakeIdleMs = 90_000;

export function createNvidia(nvml: Nvml, clock: Clock) {
  let session: NvmlSession | null = null;
  const seen = new Map<string, string | null>();
  let generation = 0;
  let cancelIdle = () => {};

  const close = () => {
    generation += 1;
    cancelIdle();
    session?.close();
    session = null;
  };

  const open = async (): Promise<NvmlSession> => {
    const mine = generation;
    const opened = await nvml.open();
    if (mine === generation) session = opened;
    // Closed meanwhile: read once, and close the session again.
    else clock.after(0, opened.close);
    return opened;
  };

  const complete = (gpus: NvidiaGpu[], problem: string | null): NvidiaReading => {
    for (const { id, name } of gpus) seen.set(id, name);
    const lost = [...seen].filter(([id]) => !gpus.some((gpu) => gpu.id === id));
    const why = problem ?? 'The NVIDIA driver has lost it; restart the machine';
    return { gpus: [...gpus, ...lost.map(([id, name]) => lostGpu(id, name, why))], problem };
  };

  return {
    async read(): Promise<NvidiaReading> {
      cancelIdle();
      try {
        const { devices } = session ?? (await open());
        const readings = devices.map((device) => ({ device, reading: device.read() }));
        if (readings.some(({ reading }) => Object.values(reading.codes).some(endsSession))) close();
        else cancelIdle = clock.after(devices.every(({ staysAwake }) => staysAwake) ? awakeIdleMs : idleMs, close);
        return complete(readings.map(toNvidiaGpu), null);
      } catch (error) {
        close();
        return complete([], messageOf(error));
      }
    },
    /** Reopens the driver session to list the GPUs anew. */
    close,
  };
}

const metricOf: Record<NvmlMetric, GpuMetric> = {
  coreClock: 'core_clock',
  coreLoad: 'core_load',
  memoryClock: 'memory_clock',
  memoryLoad: 'memory_load',
  memoryFree: 'memory_free',
  memoryUsed: 'memory_used',
  memoryTotal: 'memory_total',
  power: 'power_usage',
  temperature: 'temperature',
};

function toNvidiaGpu({ device, reading }: { device: NvmlDevice; reading: NvmlReading }, index: number): NvidiaGpu {
  const codes = Object.entries(reading.codes) as [NvmlMetric, number][];
  return {
    id: device.pci ?? device.uuid ?? `nvidia${index}`,
    name: device.name,
    metrics: toMetrics(reading),
    processes: Array.isArray(reading.processes) ? reading.processes : null,
    lost: false,
    problems: [
      ...codes.map(([metric, code]) => ({
        metric: metricOf[metric],
        sentence: nvmlProblem(code),
        mendable: code !== NVML_ERROR_NOT_SUPPORTED,
      })),
      ...(Array.isArray(reading.processes) ? [] : [processProblem(reading.processes)]),
      ...(reading.values.memoryTotal === 0 ? [sharesMemory] : []),
    ],
  };
}

function lostGpu(id: string, name: string | null, sentence: string): NvidiaGpu {
  const problems = Object.values(metricOf).map((metric) => ({ metric, sentence, mendable: true }));
  const processes = { metric: 'processes' as const, sentence, mendable: true };
  return { id, name, metrics: unknownMetrics, processes: null, lost: true, problems: [...problems, processes] };
}

/** Why the processes are unknown: the error code, or a missing function. */
const processProblem = (code: number | undefined): NvidiaGpu['problems'][number] => ({
  metric: 'processes',
  sentence: code === undefined ? 'This version of the NVIDIA driver does not list the processes' : nvmlProblem(code),
  mendable: code !== undefined && code !== NVML_ERROR_NOT_SUPPORTED,
});

const sharesMemory: NvidiaGpu['problems'][number] = {
  metric: 'memory_total',
  sentence: 'It uses system memory',
  mendable: false,
};

function toMetrics({ values }: NvmlReading): Metrics {
  const memory = (bytes: number | undefined) => (bytes === undefined ? null : mebibytes(bytes));
  return {
    ...unknownMetrics,
    core_clock: values.coreClock ?? null,
    core_load: percent(values.coreLoad ?? null),
    memory_clock: values.memoryClock ?? null,
    memory_load: percent(values.memoryLoad ?? null),
    memory_free: memory(values.memoryFree),
    memory_used: memory(values.memoryUsed),
    memory_total: values.memoryTotal === 0 ? null : memory(values.memoryTotal),
    power_usage: values.power === undefined ? null : rounded(values.power / 1000),
    temperature: values.temperature ?? null,
  };
}
