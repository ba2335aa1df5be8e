import type { Files } from '../../../host/linux/files.ts';
import {
  type DrmClient,
  loadBetween,
  parseClient,
  parseClientMemory,
} from '../../../host/linux/hardware/drm-clients.ts';
import type { ProcessDetails } from '../processes.schema.ts';

export interface GpuSample {
  /** By client, as loadBetween takes it. */
  clients: Map<string, DrmClient>;
  /** Whether it uses a GPU without statistics per process. */
  hasOthers: boolean;
  /** Those of GPUs: all that a second sample has to read. */
  descriptors: string[];
}

/** Descriptors that are read: some programs have a million files open, but open those of the GPU early. */
const mostLinks = 1024;

/** https://docs.kernel.org/gpu/drm-usage-stats.html */
export function sampleGpus(files: Pick<Files, 'link' | 'text'>, id: number, descriptors: readonly string[]): GpuSample {
  const sample: GpuSample = { clients: new Map(), hasOthers: false, descriptors: [] };
  for (const descriptor of descriptors.slice(0, mostLinks)) {
    const target = files.link(`/proc/${id}/fd/${descriptor}`) ?? '';
    const isOther = /^\/dev\/(?:nvidia\d|kfd$)/.test(target);
    if (!isOther && !target.startsWith('/dev/dri/')) continue;
    sample.descriptors.push(descriptor);
    if (isOther) {
      sample.hasOthers = true;
      continue;
    }
    const info = files.text(`/proc/${id}/fdinfo/${descriptor}`) ?? '';
    const client = parseClient(info);
    if (client === null) continue;
    const gpu = /^drm-pdev:\s*([0-9a-f:.]{1,32})$/m.exec(info)?.[1] ?? target.slice('/dev/dri/'.length);
    sample.clients.set(`${gpu} ${client.id}`, {
      gpu,
      pid: id,
      engines: client.engines,
      memory: parseClientMemory(info),
    });
  }
  return sample;
}

export function gpuUseOf(
  before: GpuSample,
  after: GpuSample,
  seconds: number,
  reasons: ProcessDetails['reasons'],
): ProcessDetails['gpus'] {
  const gpus = [...new Set([...after.clients.values()].map(({ gpu }) => gpu))];
  if (gpus.length === 0 && after.hasOthers) {
    reasons.push({
      field: 'gpus',
      reason: 'It uses a GPU whose driver has no statistics per process, such as NVIDIA’s',
    });
    return null;
  }
  return gpus.map((id) => {
    const usage = loadBetween(before.clients, after.clients, seconds, id);
    if (usage === null)
      reasons.push({
        field: 'gpus[].usage',
        reason: 'The driver of this GPU does not count how long it works for a process',
      });
    return { id, usage: usage === null ? null : Math.round(usage * 10) / 10 };
  });
}
