import type { Files } from '../../../host/linux/files.ts';
import {
  type Chip,
  channelsOf,
  chipDirectories,
  type HwmonChannel,
  readChip,
} from '../../../host/linux/hardware/hwmon.ts';

/** Files of the sensors that measure the processor only. */
export interface CpuSensors {
  /** Of each package, thousandths of °C. */
  temperatures: string[];
  /** Thousandths of volts. */
  voltages: string[];
  /** The parts that add up to the package, millionths of watts. */
  powers: string[];
  /** Of each package, microjoules. */
  energies: string[];
  /** Of single cores, microjoules, by the id of the core. */
  coreEnergies: Map<number, string>;
}

export function* findCpuSensors(files: Files): Generator<void, CpuSensors> {
  const chips: Chip[] = [];
  for (const directory of chipDirectories(files)) {
    const name = files.text(`${directory}/name`)?.trim() ?? '';
    // Numerous in a server, and never of the processor.
    const chip = others.has(name) ? null : readChip(files, directory);
    if (chip !== null) chips.push(chip);
    yield;
  }
  const named = (pattern: RegExp) => chips.filter(({ name }) => pattern.test(name));
  const energies = named(/^amd_energy$/).flatMap((chip) => channelsOf(files, chip, 'energy'));
  return {
    temperatures: firstOf(
      () => named(/^coretemp$/).flatMap((chip) => packageOf(channelsOf(files, chip, 'temp'))),
      () => named(/^(k10temp|zenpower)$/).flatMap((chip) => dieOf(channelsOf(files, chip, 'temp'))),
      () => inputsOf(files, named(/^(k8temp|via_cputemp)$/)),
      () => inputsOf(files, named(zonesOfCpu)),
      () => thermalZones(files, /^x86_pkg_temp$/),
      () => thermalZones(files, zonesOfCpu),
      () => inputsOf(files, named(/^(soc|package)_thermal$/)),
      () => labelled(files, chips, 'temp', /^cpu( package| temperature| temp| die)?$|^cputin$/i),
    ),
    voltages: firstOf(
      () => labelled(files, chips, 'in', /^(cpu[ _]?)?v?core( voltage)?$|^svi2_core$/i),
      // The first input of these is wired to the pin CPUVCORE.
      () => named(/^(nct6\d\d\d|w836[26]7\w*hg|w83627ehf)$/).map(({ directory }) => `${directory}/in0_input`),
    ),
    powers: labelled(files, named(/^zenpower$/), 'power', /^SVI2_P_(Core|SoC)$/),
    energies: energies.filter(({ label }) => label.startsWith('Esocket')).map(({ input }) => input),
    coreEnergies: new Map(
      energies
        .filter(({ label }) => /^Ecore\d+$/.test(label))
        .map(({ label, input }) => [Number(label.slice('Ecore'.length)), input]),
    ),
  };
}

const others = new Set(['nvme', 'drivetemp', 'jc42', 'spd5118', 'amdgpu', 'nouveau', 'i915', 'xe']);

/** `cpu_thermal` of a Raspberry Pi, `cpu-0-3-thermal`, `cpuss0_thermal`, `bigcore0-thermal` … of others. */
const zonesOfCpu = /^(cpu[\w-]*|bigcore\d*|littlecore\d*)[-_]thermal$/;

function firstOf(...searches: (() => string[])[]): string[] {
  for (const search of searches) {
    const found = search();
    if (found.length > 0) return found;
  }
  return [];
}

/** Small ones, such as the first Atoms, have no sensor for the package. */
function packageOf(channels: HwmonChannel[]): string[] {
  const packages = channels.filter(({ label }) => label.startsWith('Package') || label.startsWith('Physical'));
  return (packages.length > 0 ? packages : channels).map(({ input }) => input);
}

/** Tctl is for fan control: on some models it is above the real temperature, which Tdie then has. */
function dieOf(channels: HwmonChannel[]): string[] {
  const found = ['Tdie', 'Tctl'].flatMap((wanted) => channels.filter(({ label }) => label === wanted));
  return (found.length > 0 ? found : channels).slice(0, 1).map(({ input }) => input);
}

function inputsOf(files: Files, chips: Chip[]): string[] {
  return chips.flatMap((chip) => channelsOf(files, chip, 'temp').map(({ input }) => input));
}

function labelled(files: Files, chips: Chip[], kind: 'temp' | 'in' | 'power', pattern: RegExp): string[] {
  return chips.flatMap((chip) =>
    channelsOf(files, chip, kind)
      .filter(({ label }) => pattern.test(label))
      .map(({ input }) => input),
  );
}

const zones = '/sys/class/thermal';

/** Some kernels do not expose their thermal zones through hwmon. */
function thermalZones(files: Files, type: RegExp): string[] {
  return files
    .list(zones)
    .filter((zone) => type.test(files.text(`${zones}/${zone}/type`)?.trim() ?? ''))
    .map((zone) => `${zones}/${zone}/temp`);
}
