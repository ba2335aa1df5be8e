import type { Files, PersistentFile } from '../../../host/linux/files.ts';
import { channelsOf, type HwmonChannel, readChip } from '../../../host/linux/hardware/hwmon.ts';
import { type Metrics, mebibytes, percent, rounded } from '../gpus.values.ts';
import type { GpuDevice } from './gpus.devices.ts';
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

/** Sensor files of a GPU's driver, each in the unit of its interface. */
interface GpuSensors {
  /** Thousandths of °C. */
  temperature: string | undefined;
  /** Millionths of watts. */
  power: string | undefined;
  /** Millionths of joules. */
  energy: string | undefined;
  /** Hz. */
  coreClock: string | undefined;
  memoryClock: string | undefined;
}

/** https://docs.kernel.org/gpu/amdgpu/thermal.html, https://docs.kernel.org/admin-guide/abi-testing.html (i915, xe) */
function findSensors(files: Files, directory: string): GpuSensors {
  const place = files.list(`${directory}/hwmon`)[0];
  const chip = place === undefined ? null : readChip(files, `${directory}/hwmon/${place}`);
  if (chip === null) return noSensors;
  const average = `${chip.directory}/power1_average`;
  const clocks = channelsOf(files, chip, 'freq');
  return {
    // The others are hot spots and memory.
    temperature: labelled(channelsOf(files, chip, 'temp'), 'edge', 'pkg'),
    power: files.exists(average) ? average : labelled(channelsOf(files, chip, 'power')),
    energy: labelled(channelsOf(files, chip, 'energy'), 'card', 'pkg'),
    coreClock: clocks.find(({ label }) => label === 'sclk')?.input,
    memoryClock: clocks.find(({ label }) => label === 'mclk')?.input,
  };
}

/** Boards have the temperature in a thermal zone. */
function findThermalZone(files: Files): string | undefined {
  const zones = '/sys/class/thermal';
  const zone = files.list(zones).find((name) => /^gpu/.test(files.text(`${zones}/${name}/type`) ?? ''));
  return zone === undefined ? undefined : `${zones}/${zone}/temp`;
}

/** Devices with frequency scaling (devfreq). */
function findScaledClock(files: Files, directory: string): string | undefined {
  const name = files.list(`${directory}/devfreq`)[0];
  return name === undefined ? undefined : `${directory}/devfreq/${name}/cur_freq`;
}

/** The channel with one of these labels, in the order of the labels; else the first. */
function labelled(channels: HwmonChannel[], ...labels: string[]): string | undefined {
  const wanted = labels.map((label) => channels.find((channel) => channel.label === label));
  return (wanted.find((channel) => channel !== undefined) ?? channels[0])?.input;
}

const noSensors: GpuSensors = {
  temperature: undefined,
  power: undefined,
  energy: undefined,
  coreClock: undefined,
  memoryClock: undefined,
};
