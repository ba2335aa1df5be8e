import { numberAfter } from '../../../host/linux/proc/text-fields.ts';
/** Contents of /proc/stat. https://docs.kernel.org/filesystems/proc.html#miscellaneous-kernel-statistics-in-proc-stat */
export interface CpuStat {
  /** All cores together; null: missing. */
  all: Ticks | null;
  /** Those that are online, in the order of ids. */
  cores: { id: number; ticks: Ticks }[];
  contextSwitches: number | null;
  interrupts: number | null;
  softInterrupts: number | null;
}

/** Hundredths of a second. Guest time is included in user and nice. */
export interface Ticks {
  user: number;
  nice: number;
  system: number;
  idle: number;
  iowait: number;
  irq: number;
  softirq: number;
  steal: number;
}

/** Scans the characters: this runs every second, and the line of interrupts can be 20 KB long. */
export function parseCpuStat(text: string): CpuStat {
  const stat: CpuStat = {
    all: null,
    cores: [],
    contextSwitches: numberAfter(text, '\nctxt '),
    interrupts: numberAfter(text, '\nintr '),
    softInterrupts: numberAfter(text, '\nsoftirq '),
  };
  const reader = createReader(text);
  while (text.startsWith('cpu', reader.at)) {
    reader.at += 'cpu'.length;
    const isSum = text.charCodeAt(reader.at) === space;
    const id = isSum ? 0 : reader.number();
    const ticks = readTicks(reader);
    if (isSum) stat.all = ticks;
    else stat.cores.push({ id, ticks });
    const end = text.indexOf('\n', reader.at);
    if (end === -1) break;
    reader.at = end + 1;
  }
  return stat;
}

const space = 0x20;

interface Reader {
  at: number;
  /** The next number of this line; 0 after the last, as old kernels have fewer columns. */
  number(): number;
}

function createReader(text: string): Reader {
  return {
    at: 0,
    number() {
      while (text.charCodeAt(this.at) === space) this.at += 1;
      let value = 0;
      for (;;) {
        const digit = text.charCodeAt(this.at) - 0x30;
        if (!(digit >= 0 && digit <= 9)) return value;
        value = value * 10 + digit;
        this.at += 1;
      }
    },
  };
}

function readTicks(reader: Reader): Ticks {
  return {
    user: reader.number(),
    nice: reader.number(),
    system: reader.number(),
    idle: reader.number(),
    iowait: reader.number(),
    irq: reader.number(),
    softirq: reader.number(),
    steal: reader.number(),
  };
}
