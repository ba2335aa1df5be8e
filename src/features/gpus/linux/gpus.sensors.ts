import type { Files } from '../../../host/linux/files.ts';
import { channelsOf, type HwmonChannel, readChip } from '../../../host/linux/hardware/hwmon.ts';

/** Sensor files of a GPU's driver, each in the unit of its interface. */
export interface GpuSensors {
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
export function findSensors(files: Files, directory: string): GpuSensors {
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
export function findThermalZone(files: Files): string | undefined {
  const zones = '/sys/class/thermal';
  const zone = files.list(zones).find((name) => /^gpu/.test(files.text(`${zones}/${name}/type`) ?? ''));
  return zone === undefined ? undefined : `${zones}/${zone}/temp`;
}

/** Devices with frequency scaling (devfreq). */
export function findScaledClock(files: Files, directory: string): string | undefined {
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
