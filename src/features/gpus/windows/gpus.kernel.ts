import { readStruct } from '../../../host/windows/native/structs.ts';
import { type Metrics, mebibytes, percent, rounded, unknownMetrics } from '../gpus.values.ts';
import { D3DKMT_ADAPTER_PERFDATA, D3DKMT_NODE_PERFDATA, D3DKMT_QUERYSTATISTICS } from './d3dkmt.structs.ts';
import type { D3dkmt } from './d3dkmt.ts';
import type { WindowsGpu } from './gpus.adapters.ts';

const { OF_ADAPTER, OF_SEGMENT, OF_NODE } = { OF_ADAPTER: 0, OF_SEGMENT: 3, OF_NODE: 5 };
const { NODE_PERFDATA, ADAPTER_PERFDATA } = { NODE_PERFDATA: 61, ADAPTER_PERFDATA: 62 };
/** Bounds engines and segments, in case a count is wrong. */
const most = 64;

/** For each adapter, by id: the running time of each engine, in seconds. */
export type RunningTimes = Map<string, number[]>;

export function readRunningTimes(d3dkmt: D3dkmt, gpus: WindowsGpu[]): RunningTimes {
  return new Map(
    gpus.map(({ id, luid }) => {
      const engines = luid === null ? 0 : (countsOf(d3dkmt, luid)?.engines ?? 0);
      const times = Array.from({ length: engines }, (_, index) => {
        const bytes = d3dkmt.statistics(luid ?? [], OF_NODE, index);
        return bytes === null ? 0 : statistic(bytes, 'QueryResult.NodeInformation.GlobalInformation.RunningTime') / 1e7;
      });
      return [id, times];
    }),
  );
}

/** Share of the busiest engine, as in the Task Manager; null: no engine is known. */
export function busiest(before: number[] | undefined, after: number[] | undefined, seconds: number): number | null {
  if (before === undefined || after === undefined || after.length === 0 || seconds <= 0) return null;
  // Times restart with the driver.
  return percent(
    Math.max(...after.map((time, index) => (100 * Math.max(0, time - (before[index] ?? time))) / seconds)),
  );
}

/** All values but the load, which needs two samples. Unreported values are zero. */
export function readKernel(d3dkmt: D3dkmt, { luid, memory }: WindowsGpu): Metrics {
  const memory_total = memory === null ? null : mebibytes(memory);
  if (luid === null) return { ...unknownMetrics, memory_total };
  const used = residentBytes(d3dkmt, luid);
  const adapter = d3dkmt.adapterInfo(luid, ADAPTER_PERFDATA, D3DKMT_ADAPTER_PERFDATA.size);
  // Of the first engine, the 3D engine.
  const engine = d3dkmt.adapterInfo(luid, NODE_PERFDATA, D3DKMT_NODE_PERFDATA.size);
  const perfData = adapter === null ? null : readStruct(D3DKMT_ADAPTER_PERFDATA, adapter);
  const drawing = engine === null ? null : readStruct(D3DKMT_NODE_PERFDATA, engine);
  return {
    ...unknownMetrics,
    memory_total,
    memory_used: memory === null || used === null ? null : mebibytes(used),
    memory_free: memory === null || used === null ? null : mebibytes(Math.max(0, memory - used)),
    core_clock: scaled(drawing?.Frequency, 1e-6),
    memory_clock: scaled(perfData?.MemoryFrequency, 1e-6),
    temperature: scaled(perfData?.Temperature, 0.1),
  };
}

const scaled = (value: number | undefined, factor: number) => (value ? rounded(value * factor) : null);

/** Of the adapter's own memory; the other segments are windows into system memory. */
function residentBytes(d3dkmt: D3dkmt, luid: number[]): number | null {
  const counts = countsOf(d3dkmt, luid);
  if (counts === null || counts.segments === 0) return null;
  const segments = Array.from({ length: counts.segments }, (_, index) => d3dkmt.statistics(luid, OF_SEGMENT, index));
  const known = segments.filter((bytes) => bytes !== null);
  if (known.length === 0) return null;
  return known
    .filter((bytes) => statistic(bytes, 'QueryResult.SegmentInformation.Aperture') === 0)
    .reduce((sum, bytes) => sum + statistic(bytes, 'QueryResult.SegmentInformation.BytesResident'), 0);
}

function countsOf(d3dkmt: D3dkmt, luid: number[]): { segments: number; engines: number } | null {
  const bytes = d3dkmt.statistics(luid, OF_ADAPTER, 0);
  if (bytes === null) return null;
  const count = (field: Statistic) => Math.min(most, statistic(bytes, field));
  return {
    segments: count('QueryResult.AdapterInformation.NbSegments'),
    engines: count('QueryResult.AdapterInformation.NodeCount'),
  };
}

type Statistic = Exclude<keyof typeof D3DKMT_QUERYSTATISTICS.fields, 'AdapterLuid'>;

const statistic = (bytes: Uint8Array, field: Statistic) => readStruct(D3DKMT_QUERYSTATISTICS, bytes)[field];
