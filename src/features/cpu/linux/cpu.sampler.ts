import type { HistorySampler, Moment } from '../../../core/readings/history.ts';
import { energyZones } from '../../../host/linux/hardware/powercap.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import { atOnce } from '../../../lib/slices.ts';
import { findCpuSensors } from './cpu.sensors.ts';
import { parseCpuStat, type Ticks } from './cpu.stat.ts';

const resources = ['cpu', 'memory', 'io'] as const;
const ticksPerSecond = 100;

/** Reads only the files these series need; the module also reads frequencies, voltages and names. */
export function cpuHistoryLinux({ files }: LinuxHost): HistorySampler {
  const stat = files.keep('/proc/stat');
  // Short files are complete with one read.
  const line = Buffer.alloc(512);
  const short = (path: string) => {
    const file = files.short(path);
    const text = () => {
      const length = file.read(line);
      return length === null ? null : line.toString('latin1', 0, length);
    };
    return { text, close: file.close };
  };
  const load = short('/proc/loadavg');
  const pressures = resources.map((name) => ({ name, file: short(`/proc/pressure/${name}`) }));
  const temperatures = atOnce(findCpuSensors(files)).temperatures.map((file) => files.keep(file));
  const energies = energyZones(files)
    .filter(({ name }) => name.startsWith('package'))
    .map(({ file }) => files.keep(file));
  const before = new Map<string, Ticks>();

  const usage = (moment: Moment, ticks: Ticks, core?: string) => {
    const known = before.get(core ?? '');
    before.set(core ?? '', ticks);
    const shares = known === undefined ? null : busyBetween(known, ticks);
    moment.value('cpu', shares === null ? null : (100 * shares.busy) / shares.all, core);
    if (core === undefined) moment.busySeconds = shares === null ? null : shares.busy / ticksPerSecond;
  };

  return {
    sample(moment) {
      const { all, cores } = parseCpuStat(stat.text() ?? '');
      if (all !== null) usage(moment, all);
      for (const { id, ticks } of cores) usage(moment, ticks, String(id));
      moment.value('load', numberOf(load.text()));
      for (const { name, file } of pressures) moment.value(`pressure.${name}`, parsePressure(file.text()));
      if (temperatures.length > 0) moment.value('cpu.temperature', hottest(temperatures.map((file) => file.number())));
      if (energies.length > 0) moment.value('cpu.power', joules(energies.map((file) => file.number())));
    },
    close() {
      for (const file of [stat, load, ...pressures.map(({ file }) => file), ...temperatures, ...energies]) file.close();
    },
  };
}

/** Waiting for disks is not being busy. null: nothing was counted. */
function busyBetween(before: Ticks, after: Ticks): { busy: number; all: number } | null {
  const idle = after.idle - before.idle + after.iowait - before.iowait;
  const sum = ({ user, nice, system, irq, softirq, steal }: Ticks) => user + nice + system + irq + softirq + steal;
  const busy = sum(after) - sum(before);
  return busy < 0 || idle < 0 || busy + idle <= 0 ? null : { busy, all: busy + idle };
}

/** Microseconds of waiting since boot, so that their rate is percent. https://docs.kernel.org/accounting/psi.html */
function parsePressure(text: string | null): number | null {
  const total = /^some .*total=(\d+)/m.exec(text ?? '')?.[1];
  return total === undefined ? null : Number(total) / 1e4;
}

function numberOf(text: string | null): number | null {
  const value = Number.parseFloat(text ?? '');
  return Number.isNaN(value) ? null : value;
}

function hottest(values: (number | null)[]): number | null {
  const known = values.filter((value) => value !== null);
  return known.length === 0 ? null : Math.max(...known) / 1000;
}

/** null if one is not readable: the sum would be wrong. */
function joules(values: (number | null)[]): number | null {
  return values.reduce((sum, value) => (sum === null || value === null ? null : sum + value / 1e6), 0);
}
