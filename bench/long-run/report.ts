import { median, percent, printTable, verdict } from '../harness/figures.ts';
import type { Outcome } from './clients.ts';

export interface RunSample {
  ms: number;
  /** MiB. */
  total: number;
  own: number;
  /** Without those that are held for a process of the machine. */
  descriptors: number;
  perProcess: number;
  threads: number;
}

interface Span {
  from: number;
  to: number;
}

export interface LongRun {
  minutes: number;
  modules: string[];
  samples: RunSample[];
  /** Some seconds after the last client left. */
  atEnd: RunSample;
  before: Span;
  spike: Span;
  after: Span;
  cpuSeconds: number;
  happened: Map<string, number>;
  /** What the script could not do. */
  problems: string[];
  outcome: Outcome;
  log: string[];
}

const growthGoal = 1.1;
/** Connections that are there at that moment. */
const play = { descriptors: 5, threads: 2 };

export function printRun(run: LongRun): void {
  const { minutes, modules, samples, atEnd, outcome, happened, log, problems, cpuSeconds } = run;
  const within = ({ from, to }: Span) => samples.filter(({ ms }) => ms >= from && ms < to);
  const [before, spike, after] = [within(run.before), within(run.spike), within(run.after)];
  const of = (group: RunSample[], key: keyof RunSample) => median(group.map((each) => each[key]));
  const most = (group: RunSample[], key: keyof RunSample) => Math.max(...group.map((each) => each[key]));
  const row = (label: string, key: keyof RunSample, digits: number) => [
    label,
    of(before, key).toFixed(digits),
    most(spike, key).toFixed(digits),
    of(after, key).toFixed(digits),
    atEnd[key].toFixed(digits),
  ];
  const growth = of(after, 'total') / of(before, 'total');
  const flat = (key: 'descriptors' | 'threads') => of(after, key) - of(before, key) <= play[key];
  const errors = log.filter((line) => / ERROR /.test(line));
  const warnings = log.filter((line) => / WARN /.test(line));
  printTable(
    `A run of ${minutes} min, compiled: ${modules.length} modules, ${outcome.pushes} pushes, ${outcome.answers} answers, ${outcome.refused} refusals`,
    ['', 'before the spike', 'most in it', 'long after it', 'alone again', 'goal', 'reached'],
    [
      [...row('resident, MiB', 'total', 1), 'back within 10 %', `${verdict(growth < growthGoal)} (${percent(growth)})`],
      [...row('of it its own, MiB', 'own', 1), '', percent(of(after, 'own') / of(before, 'own'))],
      [...row('descriptors', 'descriptors', 0), 'flat', verdict(flat('descriptors'))],
      [...row("held for the machine's processes", 'perProcess', 0), '', ''],
      [...row('threads', 'threads', 0), 'flat', verdict(flat('threads'))],
      ['errors in the log', '', '', '', String(errors.length), '0', verdict(errors.length === 0)],
      ['warnings in the log', '', '', '', String(warnings.length), '', ''],
      [
        'unexpected answers',
        '',
        '',
        '',
        String(outcome.unexpected.length),
        '0',
        verdict(outcome.unexpected.length === 0),
      ],
      ['CPU, s a minute', '', '', '', (cpuSeconds / minutes).toFixed(2), '', ''],
    ],
  );
  const events = [...happened].map(([what, count]) => `${count} × ${what}`);
  process.stdout.write(`\n${events.join(', ')}, ${outcome.visits} visits, ${outcome.lost} connections lost\n`);
  for (const line of [...outcome.unexpected, ...problems, ...errors, ...warnings].slice(0, 80))
    process.stdout.write(`${line}\n`);
}
