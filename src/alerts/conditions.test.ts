import { describe, expect, test } from 'bun:test';
import type { KnownHistory } from '../core/readings/history.ts';
import type { AlertRule } from './alerts.settings.schema.ts';
import {
  amountOf,
  checkProblems,
  checkSeries,
  conditionInWords,
  conditionOf,
  isMatch,
  type KnownProblems,
} from './conditions.ts';

const known: KnownHistory = {
  series: new Map([
    ['cpu', { unit: 'percent', title: 'Processor', description: '', module: 'cpu' }],
    ['temperature', { unit: 'celsius', title: 'Temperature', description: '', module: 'sensors' }],
    ['load', { unit: 'processes', description: '', module: 'cpu' }],
  ]),
  kinds: new Map([
    ['session', { module: 'system', description: 'A user logged in or out' }],
    ['sleep', { module: null, description: 'The machine goes to sleep' }],
  ]),
};
const problems: KnownProblems = new Map([
  [
    'disk_full',
    {
      module: 'disks',
      announced: false,
      problem: {
        description: '',
        percent: 90,
        find: (payload, percent) =>
          (payload as [string, number][])
            .filter(([, value]) => value >= percent)
            .map(([subject, value]) => ({ subject, value, text: `${subject} is ${value} % full` })),
      },
    },
  ],
]);
const conditionFor = (when: AlertRule['when']) => conditionOf({ when }, known, problems);
const seriesOf = (when: AlertRule['when']) => {
  const condition = conditionFor(when);
  if (condition.kind !== 'series') throw new Error(condition.kind);
  return condition;
};

test.each<[AlertRule['when'], string]>([
  [{ series: 'cpuu', above: 1 }, 'there is no series "cpuu"; did you mean cpu?'],
  [{ series: 'xyzzy', above: 1 }, 'there is no series "xyzzy"; there are cpu, temperature, load'],
  [{ event: 'disk_ful' }, 'there is no event "disk_ful"; did you mean disk_full?'],
  [{ event: 'session', percent: 5 }, 'the event session has no percent'],
])('the condition %j is invalid: %s', (when, reason) => {
  expect(conditionFor(when)).toEqual({ kind: 'wrong', reason });
});

describe('a condition on a level', () => {
  test.each([
    [{ series: 'cpu', above: 90 }, [90, 'off'], [90.1, 'on'], [86, 'on'], [85.5, 'off']],
    [{ series: 'cpu', above: 90, clear: 50 }, [90, 'off'], [91, 'on'], [51, 'on'], [50, 'off']],
    [{ series: 'cpu', below: 10 }, [10, 'off'], [9, 'on'], [10.4, 'on'], [10.5, 'off']],
    [{ series: 'temperature', below: -10 }, [-10, 'off'], [-11, 'on'], [-9.6, 'on'], [-9.5, 'off']],
  ] as const)('%j begins at the one end and ends at the other', (when, before, begins, stays, ends) => {
    const condition = seriesOf(when);
    const check = ([value]: readonly [number, string], isActive: boolean) =>
      checkSeries(condition, new Map([[when.series, value]]), isActive).kind;
    expect(check(before, false)).toBe(before[1]);
    expect(check(begins, false)).toBe(begins[1]);
    expect(check(stays, true)).toBe(stays[1]);
    expect(check(ends, true)).toBe(ends[1]);
  });

  test.each([
    [new Map(), 'Temperature (x) is not measured on this machine'],
    [new Map([['temperature/x', null]]), 'Temperature (x) is not known at the moment'],
    [new Map([['temperature/y', 40]]), 'there is no temperature/x; available: temperature/y'],
    [new Map([['temperature/x', Number.NaN]]), 'Temperature (x) is not known at the moment'],
  ])('a missing measurement has a reason: %p', (values, reason) => {
    expect(checkSeries(seriesOf({ series: 'temperature/x', above: 1 }), values, false)).toEqual({
      kind: 'missing',
      reason,
    });
  });

  test('an active condition has a sentence', () => {
    expect(checkSeries(seriesOf({ series: 'cpu', above: 90 }), new Map([['cpu', 93.25]]), false)).toMatchObject({
      text: 'Processor is at 93.3 %, above 90 %',
      value: 93.25,
    });
  });
});

describe('a condition on a problem', () => {
  const check = (when: AlertRule['when'], payload: [string, number][], isActive = false) => {
    const condition = conditionFor(when);
    if (condition.kind !== 'problem') throw new Error(condition.kind);
    return checkProblems(condition, when.match, payload, isActive);
  };

  test('begins at its level, and ends some percent below', () => {
    expect(check({ event: 'disk_full' }, [['/', 89.9]]).kind).toBe('off');
    expect(check({ event: 'disk_full', percent: 80 }, [['/', 89.9]])).toMatchObject({
      kind: 'on',
      value: 89.9,
      text: '/ is 89.9 % full',
      subjects: ['/'],
    });
    expect(check({ event: 'disk_full' }, [['/', 88]], true).kind).toBe('on');
    expect(check({ event: 'disk_full' }, [['/', 87.9]], true).kind).toBe('off');
  });

  test('ignores subjects that do not match', () => {
    expect(check({ event: 'disk_full', match: '/home*' }, [['/', 99]]).kind).toBe('off');
  });

  test('a name stays on one line', () => {
    expect(check({ event: 'disk_full' }, [['/mnt/a\nnas: all is well', 99]])).toMatchObject({
      text: '/mnt/a\ufffdnas: all is well is 99 % full',
      subjects: ['/mnt/a\ufffdnas: all is well'],
    });
  });

  test('lists at most twenty subjects', () => {
    const found = check(
      { event: 'disk_full' },
      Array.from({ length: 5000 }, (_, index) => [`/mnt/${'x'.repeat(4000)}${index}`, 99]),
    );
    expect(found).toMatchObject({ kind: 'on' });
    expect(JSON.stringify(found).length).toBeLessThan(10_000);
  });
});

test.each([
  ['/home', '/home', true],
  ['/home', '/srv/home', true],
  ['/home*', '/srv/home', false],
  ['*.service', 'nginx.service', true],
  ['nginx*.service', 'nginx.service', true],
  ['nginx*x.service', 'nginx.service', false],
  ['a*b*c', 'a-b-c', true],
  ['a*b*c', 'a-c', false],
  ['*', '', true],
  ['(.*)+$', 'aaaa', false],
])('the pattern %s matches %s: %p', (pattern, text, expected) => {
  expect(isMatch(pattern, text)).toBe(expected);
});

test.each<[AlertRule['when'], string]>([
  [{ series: 'cpu', above: 90, for: 300 }, 'Processor above 90 % for 5 min'],
  [{ series: 'cpu', below: 1 }, 'Processor below 1 %'],
  [{ series: 'temperature/nvme', above: 70 }, 'Temperature (nvme) above 70 °C'],
  [{ series: 'load', above: 4 }, 'load above 4'],
  [{ series: 'cpuu', above: 4 }, 'cpuu above 4'],
  [{ event: 'disk_full', match: '/home' }, 'Disk full to 90 % (/home)'],
  [{ event: 'session' }, 'A user logged in or out'],
  [{ event: 'session', match: 'root*' }, 'A user logged in or out (root*)'],
  [{ event: 'sleep' }, 'The machine goes to sleep'],
])('the condition %j is described in words', (when, words) => {
  expect(conditionInWords({ when }, conditionFor(when))).toBe(words);
});

test.each([
  [1_500_000, 'bytes_per_second', '1.5 MB/s'],
  [0, 'bytes', '0 B'],
  [12.34, 'celsius', '12.3 °C'],
  [0.0012, 'percent', '0.0012 %'],
  [0, 'percent', '0 %'],
  [-4, 'watts', '-4 W'],
  [0.123456, 'processes', '0.1235'],
  [17, 'mails', '17 mails'],
  [17, '', '17'],
])('the amount %d in the unit "%s" is written as "%s"', (value, unit, words) => {
  expect(amountOf(value, unit)).toBe(words);
});
