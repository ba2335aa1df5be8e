import type { BusyProcess, HistoryEvent } from '../core/readings/history.ts';

/** Some minutes of samples, written at once. */
export interface SampleBlock {
  /** Random; identifies a block that is already in the database. */
  id: number;
  /** Milliseconds between samples. */
  every: number;
  /** When each sample was taken, Unix milliseconds. */
  at: number[];
  series: Record<string, (number | null)[]>;
  /** The busiest processes of each sample. */
  processes: BusyProcess[][];
  events: HistoryEvent[];
}

/** The same with each process named once: most occur in every sample. */
interface WrittenBlock extends Omit<SampleBlock, 'processes'> {
  named: [number, string][];
  /** For each sample: place in `named`, CPU, memory, and so on. */
  used: number[][];
}

export function writeBlock({ processes, series, ...rest }: SampleBlock): string {
  const places = new Map<string, number>();
  const named: [number, string][] = [];
  const placeOf = ({ pid, name }: BusyProcess) => {
    const key = `${pid} ${name}`;
    const known = places.get(key);
    if (known !== undefined) return known;
    places.set(key, named.length);
    return named.push([pid, name]) - 1;
  };
  const used = processes.map((all) => all.flatMap((one) => [placeOf(one), digits(one.cpu) ?? 0, one.memory]));
  const columns = Object.fromEntries(Object.entries(series).map(([name, values]) => [name, values.map(digits)]));
  const written: Omit<WrittenBlock, 'series'> & { series: typeof columns } = { ...rest, series: columns, named, used };
  return JSON.stringify(written);
}

/** null: the line is damaged or foreign, as after a power cut. */
export function readBlock(line: string): SampleBlock | null {
  try {
    const { named, used, ...rest }: WrittenBlock = JSON.parse(line);
    if (!isWhole(rest) || !Array.isArray(named)) return null;
    const processes = used.map((numbers) =>
      Array.from({ length: numbers.length / 3 }, (_, index) => {
        const [place = 0, cpu = 0, memory = 0] = numbers.slice(index * 3);
        const [pid, name] = named[place] ?? [0, ''];
        return { pid, name, cpu, memory };
      }),
    );
    return { ...rest, processes };
  } catch {
    return null;
  }
}

function isWhole({ id, every, at, series, events }: Omit<SampleBlock, 'processes'>): boolean {
  return (
    [id, every, ...at].every(Number.isFinite) &&
    Object.values(series).every((column) => column.length === at.length) &&
    Array.isArray(events)
  );
}

/** More digits are not stored in the database. */
const digits = (value: number | null) =>
  value === null || Number.isInteger(value) ? value : Number(value.toPrecision(4));
