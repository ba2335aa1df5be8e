import { median, percent, printTable, verdict } from '../harness/figures.ts';

export interface Sample {
  second: number;
  /** MiB. */
  resident: number;
  own: number;
  descriptors: number;
  threads: number;
}

export interface Traffic {
  answers: number;
  /** One line each. */
  unexpected: string[];
  slowest: { ms: number; name: string; second: number };
}

export interface CollectSoak {
  minutes: number;
  /** After the first spike, and after the second: seconds from the start. */
  calm: [Span, Span];
  form: string;
  modules: string[];
  traffic: Traffic;
  /** How often each kind of thing came and went meanwhile. */
  changes: Record<string, number>;
  failures: string[];
  subjects: Soaked[];
}

interface Span {
  from: number;
  to: number;
}

interface Soaked {
  name: string;
  samples: Sample[];
  /** Some seconds after the last request and the last change. */
  atEnd: Sample;
  cpuSeconds: number;
  log: string[];
}

const growthGoal = 1.1;
/** Connections and processes that are there at that moment. */
const descriptorPlay = 10;

export function printCollectSoak(soak: CollectSoak): void {
  const { minutes, form, modules, traffic, changes, failures, subjects } = soak;
  const came = Object.entries(changes).map(([kind, count]) => `${count} ${kind}`);
  printTable(
    `Soak of ${minutes} min, ${form}: ${modules.length} modules once a second, while ${came.join(', ')} came and went`,
    ['', 'after the first spike', 'after the second', 'at rest afterwards', 'peak', 'goal', 'reached'],
    subjects.flatMap((subject) => rowsOf(subject, soak)),
  );
  const { slowest } = traffic;
  const outcomes = [
    `${traffic.answers} answers, the slowest after ${slowest.ms.toFixed(0)} ms (${slowest.name}, ${slowest.second.toFixed(0)} s), unexpected: ${traffic.unexpected.length}`,
    `${failures.length} changes could not be made`,
    ...subjects.map(({ log }) => log.findLast((line) => line.startsWith('pushes ')) ?? ''),
    ...new Set([...subjects.flatMap(({ log }) => log.filter((line) => / (ERROR|WARN) /.test(line)))]),
    ...traffic.unexpected,
    ...failures,
  ];
  for (const line of outcomes.filter((each) => each !== '').slice(0, 40)) process.stdout.write(`\n${line}\n`);
}

function rowsOf({ name, samples, atEnd, cpuSeconds, log }: Soaked, { minutes, calm }: CollectSoak): string[][] {
  // The first spike establishes the working size; the second must add nothing that stays.
  const within = ({ from, to }: Span) => samples.filter(({ second }) => second >= from && second < to);
  const [first, last] = [within(calm[0]), within(calm[1])];
  const of = (group: Sample[], key: keyof Sample) => median(group.map((each) => each[key]));
  const row = (label: string, key: keyof Sample, digits: number) => [
    `${name}: ${label}`,
    of(first, key).toFixed(digits),
    of(last, key).toFixed(digits),
    atEnd[key].toFixed(digits),
    Math.max(...samples.map((each) => each[key])).toFixed(digits),
  ];
  const growth = of(last, 'resident') / of(first, 'resident');
  const flat = (key: keyof Sample) => of(last, key) - of(first, key) <= descriptorPlay;
  const errors = log.filter((line) => / ERROR /.test(line)).length;
  return [
    [...row('resident, MiB', 'resident', 1), 'grows < 10 %', `${verdict(growth < growthGoal)} (${percent(growth)})`],
    [...row('of it its own, MiB', 'own', 1), '', percent(of(last, 'own') / of(first, 'own'))],
    [...row('descriptors', 'descriptors', 0), 'flat', verdict(flat('descriptors'))],
    [...row('threads', 'threads', 0), 'flat', verdict(flat('threads'))],
    [`${name}: errors in the log`, '', '', String(errors), '', '0', verdict(errors === 0)],
    [`${name}: CPU, s a minute`, '', '', (cpuSeconds / minutes).toFixed(2), '', '', ''],
  ];
}
