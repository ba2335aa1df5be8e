import type { Files } from '../../../host/linux/files.ts';
import { createDrmClients, type DrmUse, loadBetween, usesBetween } from '../../../host/linux/hardware/drm-clients.ts';
import { type Clock, sleep } from '../../../lib/clock.ts';
import { createPairs } from '../../../lib/sample-pair.ts';
import type { KnownGpu } from './gpus.inventory.ts';

/** Values from two counts: load and power of a GPU, null without a counter, and its processes. */
export type Rates = (id: string) => { load: number | null; watts: number | null; uses: DrmUse[] };

/** Scanning every process is slow: the first scan runs in pieces, then a few processes at each read. */
const pieceMs = 2;
const perReadMs = 1;

export function createRates(
  files: Files,
  clock: Clock,
  gpus: () => KnownGpu[],
): { read(): Promise<Rates>; close(): void } {
  const gpuOf = (node: string) => gpus().find(({ device }) => device.drm?.nodes.includes(node))?.device.id ?? null;
  const clients = createDrmClients(files, clock, gpuOf);
  let searched = false;

  const pairs = createPairs(clock, () => ({
    clients: clients.sample(),
    energies: new Map(gpus().map((gpu) => [gpu.device.id, energyOf(gpu)])),
  }));

  const search = async () => {
    if (searched) return void (await clients.search(perReadMs));
    while (!(await clients.search(pieceMs))) await sleep(clock, 0);
    searched = true;
  };

  return {
    async read() {
      if (gpus().some(countsClients)) await search();
      const { before, after, seconds } = await pairs();
      return (id) => {
        const [first, last] = [before.energies.get(id) ?? null, after.energies.get(id) ?? null];
        const used = first === null || last === null || seconds <= 0 ? Number.NaN : (last - first) / 1e6 / seconds;
        return {
          load: loadBetween(before.clients, after.clients, seconds, id),
          watts: used >= 0 ? used : null,
          uses: usesBetween(before.clients, after.clients, seconds, id),
        };
      };
    },
    close: clients.close,
  };
}

/** Reading a sleeping one would wake it. */
const energyOf = ({ sysfs, gone }: KnownGpu) => (gone || sysfs.asleep() ? null : sysfs.energy());

/** Drivers that count per program only. */
const counting = new Set([
  'amdgpu',
  'i915',
  'xe',
  'v3d',
  'panfrost',
  'panthor',
  'etnaviv',
  'msm',
  'msm_dpu',
  'msm_mdp',
]);

/** Whether its driver counts per program. */
export const countsClients = ({ device, gone }: KnownGpu) =>
  !gone && device.drm !== null && counting.has(device.driver ?? '');

/** Whether its load is known only as the sum over programs. */
export const needsClients = (gpu: KnownGpu) => countsClients(gpu) && !gpu.sysfs.hasLoad;
