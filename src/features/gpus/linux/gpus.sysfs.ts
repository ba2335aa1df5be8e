import type { Files, PersistentFile } from '../../../host/linux/files.ts';
import { type Metrics, mebibytes, percent, rounded } from '../gpus.values.ts';
import type { GpuDevice } from './gpus.devices.ts';
import { findScaledClock, findSensors, findThermalZone } from './gpus.sensors.ts';
import { memoryWindow } from './pci.ts';

export type SysfsGpu = ReturnType<typeof createSysfsGpu>;

export function createSysfsGpu(files: Files, device: GpuDevice) {
  const openFiles: PersistentFile[] = [];
  const keep = (file: string | undefined): PersistentFile | null => {
    if (file === undefined) return null;
    const opened = files.keep(file);
    openFiles.push(opened);
    return opened;
  };
  const first = (...candidates: string[]) => keep(candidates.find((file) => files.exists(file)));
  const { directory, drm, pci } = device;
  const card = drm?.card ?? directory;
  const sensors = findSensors(files, directory);
  const status = first(`${directory}/power/runtime_status`);
  const load = first(`${directory}/gpu_busy_percent`);
  const memoryLoad = first(`${directory}/mem_busy_percent`);
  const used = first(`${directory}/mem_info_vram_used`);
  const temperature = keep(sensors.temperature ?? (pci === null ? findThermalZone(files) : undefined));
  const power = keep(sensors.power);
  const energy = power === null ? keep(sensors.energy) : null;
  const total = readMemoryTotal(files, device);
  const memoryTotal = total === null ? null : mebibytes(total);
  const hertz = keep(sensors.coreClock ?? findScaledClock(files, directory));
  const megahertz = first(
    `${card}/gt_act_freq_mhz`,
    `${card}/gt/gt0/rps_act_freq_mhz`,
    `${directory}/tile0/gt0/freq0/act_freq`,
  );
  const memoryHertz = keep(sensors.memoryClock);
  // Older kernels have only the list of levels.
  const level = hertz === null && megahertz === null ? first(`${directory}/pp_dpm_sclk`) : null;
  const memoryLevel = memoryHertz === null ? first(`${directory}/pp_dpm_mclk`) : null;

  return {
    read(): Metrics {
      const inUse = used?.number() ?? null;
      return {
        core_clock: rounded(scaled(hertz, 1e-6) ?? scaled(megahertz, 1) ?? parseLevel(level?.text())),
        core_load: percent(load?.number() ?? null),
        memory_clock: rounded(scaled(memoryHertz, 1e-6) ?? parseLevel(memoryLevel?.text())),
        memory_load: percent(memoryLoad?.number() ?? null),
        memory_free: total === null || inUse === null ? null : mebibytes(Math.max(0, total - inUse)),
        memory_used: inUse === null ? null : mebibytes(inUse),
        memory_total: memoryTotal,
        power_usage: rounded(scaled(power, 1e-6)),
        temperature: rounded(scaled(temperature, 1e-3)),
      };
    },
    /** Millionths of joules used so far, where the driver reports energy instead of power; null otherwise. */
    energy: () => energy?.number() ?? null,
    /** Whether it sleeps: a read would wake it. */
    asleep: () => status?.text()?.startsWith('suspended') ?? false,
    hasLoad: load !== null,
    hasEnergy: energy !== null,
    /** MiB; known also while it sleeps. */
    memoryTotal,
    close() {
      for (const file of openFiles) file.close();
    },
  };
}

function scaled(file: PersistentFile | null, factor: number): number | null {
  const value = file?.number() ?? null;
  return value === null ? null : value * factor;
}

/** The active line, marked with a star: `1: 1800Mhz *`. */
function parseLevel(levels: string | null | undefined): number | null {
  const current = /(\d+)Mhz \*/i.exec(levels ?? '')?.[1];
  return current === undefined ? null : Number(current);
}

/** Dedicated memory in bytes; null: unknown, or none. */
function readMemoryTotal(files: Files, { directory, pci, driver }: GpuDevice): number | null {
  const amdgpu = numberIn(files, `${directory}/mem_info_vram_total`);
  if (amdgpu !== null) return amdgpu;
  const tiles = driver === 'xe' ? files.list(directory).filter((name) => /^tile\d+$/.test(name)) : [];
  const xe = tiles.reduce(
    (sum, tile) => sum + (numberIn(files, `${directory}/${tile}/physical_vram_size_bytes`) ?? 0),
    0,
  );
  if (xe > 0) return xe;
  // Their PCI window covers a part of the memory, or more than all of it.
  if (pci === null || ['10de', '1002', '8086'].includes(pci.vendor)) return null;
  return memoryWindow(files.text(`${directory}/resource`));
}

function numberIn(files: Files, file: string): number | null {
  const value = Number(files.text(file) ?? Number.NaN);
  return value > 0 ? value : null;
}
