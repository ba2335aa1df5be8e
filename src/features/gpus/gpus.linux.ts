import type { CreateSource } from '../../core/module.ts';
import { partOf } from '../../core/part.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { unlessAbsent } from '../../lib/absence-cache.ts';
import { createNvidia, type NvidiaReading } from './gpus.nvidia.ts';
import type { Gpus } from './gpus.schema.ts';
import { assemble, isNvidia } from './linux/gpus.assemble.ts';
import { createGpuInventory, type KnownGpu } from './linux/gpus.inventory.ts';
import { countsClients, createRates, type Rates } from './linux/gpus.rates.ts';
import { hasNvidiaDriver } from './linux/nvidia-driver.ts';
import { nvml } from './nvidia/nvml.ts';

/** NVIDIA's library for GPUs of its driver, /sys for the others. */
export const gpusLinux: CreateSource<Gpus, LinuxHost> = (host) => {
  const { files, clock } = host;
  const inventory = createGpuInventory(files, clock);
  const nvidia = createNvidia({ open: async () => (await partOf(host, nvml)).open() }, clock);
  const hasDriver = unlessAbsent(clock, () => hasNvidiaDriver(files) || null);
  let known: KnownGpu[] = [];
  const rates = createRates(files, clock, () => known);

  /** The name as in the list of processes. null: it has ended, or belongs to another container. */
  const nameOf = (pid: number) => files.text(`/proc/${pid}/comm`)?.trim() || null;

  const readLater = async (reasons: Reasons, asksNvidia: boolean, needsRates: boolean): Promise<Gpus> => {
    const [driver, rate] = await Promise.all([
      asksNvidia ? nvidia.read() : nothing,
      needsRates ? rates.read() : noRates,
    ]);
    const missed = (gpu: KnownGpu) => isNvidia(gpu) && !driver.gpus.some(({ id }) => id === gpu.device.id);
    const incomplete = known.some(missed) || driver.gpus.some(({ lost }) => lost);
    // A card added later or reset is found once the driver session is reopened.
    if (asksNvidia && inventory.searched() && incomplete) nvidia.close();
    return assemble(known, driver, rate, nameOf, reasons);
  };

  return {
    read(reasons) {
      known = inventory.gpus();
      const awake = known.filter(({ gone, sysfs }) => !gone && !sysfs.asleep());
      const cards = known.filter(isNvidia);
      // Opening the driver would wake all its GPUs.
      const asksNvidia = hasDriver() === true && (cards.length === 0 || cards.some((card) => awake.includes(card)));
      const needsRates = awake.some((gpu) => countsClients(gpu) || gpu.sysfs.hasEnergy);
      if (asksNvidia || needsRates) return readLater(reasons, asksNvidia, needsRates);
      return assemble(known, nothing, noRates, nameOf, reasons);
    },
    close() {
      inventory.close();
      nvidia.close();
      rates.close();
    },
  };
};

const nothing: NvidiaReading = { gpus: [], problem: null };
const noRates: Rates = () => ({ load: null, watts: null, uses: [] });
