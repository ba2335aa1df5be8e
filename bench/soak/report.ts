import { median, percent, printTable, verdict } from '../harness/figures.ts';
import type { Descriptors } from '../harness/process.ts';
import type { Outcome } from './traffic.ts';

export interface Sample {
  second: number;
  /** MiB. */
  resident: number;
  own: number;
  /** Without those that are held for a process of the machine. */
  descriptors: number;
}

export interface Soak {
  title: string;
  minutes: number;
  samples: Sample[];
  /** Some seconds after the last request. */
  atEnd: Sample;
  /** Open descriptors at rest, before and after. */
  before: Descriptors;
  after: Descriptors;
  cpuSeconds: number;
  log: string[];
  outcome: Outcome;
}

const growthGoal = 1.1;
/** Under traffic their number follows what is under way at that moment. */
const descriptorPlay = 10;
/** A process may end between the last reading and the count. */
const stalePlay = 3;

export function printSoak({ title, minutes, samples, atEnd, before, after, cpuSeconds, log, outcome }: Soak): void {
  // Its working size is reached in the first minutes, or in the first tenth of a short run.
  const warm = samples.filter(({ second }) => second >= Math.min(180, minutes * 6));
  const quarter = Math.max(1, Math.floor(warm.length / 4));
  const first = summary(warm.slice(0, quarter));
  const last = summary(warm.slice(-quarter));
  const errors = log.filter((line) => / ERROR /.test(line));
  const warnings = log.filter((line) => / WARN /.test(line));
  const { kinds, unexpected, broken } = outcome;
  const sent = [...kinds.values()].reduce((sum, { count }) => sum + count, 0);
  const peak = Math.max(...samples.map(({ resident }) => resident)).toFixed(1);
  const growth = last.resident / first.resident;
  const flat = Math.abs(last.descriptors - first.descriptors) <= descriptorPlay;

  printTable(
    `${title}: ${sent} requests (${(sent / minutes / 60).toFixed(0)}/s), ${cpuSeconds.toFixed(1)} s CPU`,
    ['', 'first quarter', 'last quarter', 'at rest afterwards', 'goal', 'reached'],
    [
      [
        `resident, MiB (peak ${peak})`,
        ...[first, last, atEnd].map(({ resident }) => resident.toFixed(1)),
        'grows < 10 %',
        `${verdict(growth < growthGoal)} (${percent(growth)})`,
      ],
      [
        'of it its own, MiB',
        ...[first, last, atEnd].map(({ own }) => own.toFixed(1)),
        '',
        percent(last.own / first.own),
      ],
      ['descriptors under traffic', String(first.descriptors), String(last.descriptors), '', 'flat', verdict(flat)],
      [
        'descriptors at rest',
        `${before.own} before`,
        '',
        String(after.own),
        'no more than before',
        verdict(after.own <= before.own),
      ],
      [
        "held for the machine's processes",
        `${before.perProcess} before`,
        '',
        String(after.perProcess),
        'none for one that is gone',
        `${verdict(after.stale <= stalePlay)} (${after.stale})`,
      ],
      ['errors in the log', '', '', String(errors.length), '0', verdict(errors.length === 0)],
      ['warnings in the log', '', '', String(warnings.length), '', ''],
      [
        'unexpected answers',
        '',
        '',
        String(unexpected.length),
        '0',
        verdict(unexpected.length === 0 && broken === null),
      ],
    ],
  );
  printTable(
    'What was sent',
    ['kind', 'count', 'answers'],
    [...kinds].map(([name, { count, answers }]) => [
      name,
      String(count),
      [...answers].map(([answer, times]) => `${answer}: ${times}`).join(', '),
    ]),
  );
  const lines = new Set([...errors, ...warnings, ...unexpected, ...(broken === null ? [] : [broken])]);
  for (const line of [...lines].slice(0, 30)) process.stdout.write(`\n${line}\n`);
}

function summary(group: Sample[]): Omit<Sample, 'second'> {
  const of = (key: keyof Sample) => median(group.map((each) => each[key]));
  return { resident: of('resident'), own: of('own'), descriptors: of('descriptors') };
}
