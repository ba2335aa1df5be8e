import { expect, test } from 'bun:test';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { parseProcessRecord, readProcessRecord, stateInWords, wholeNameOf } from './process-record.ts';

const line = (name: string, { state = 'S', flags = 4_194_560, threads = 3 } = {}) =>
  `300 (${name}) ${state} 1 300 300 0 -1 ${flags} 0 0 0 0 150 50 0 0 25 5 ${threads} 0 56789 1000 2560 0 0\n`;

test('the stat line of a process is parsed', () => {
  const found = parseProcessRecord(line('thing'), 300);
  expect(found).toEqual({
    pid: 300,
    name: 'thing',
    state: 'S',
    parent: 1,
    isKernelThread: false,
    isZombie: false,
    ticks: 200,
    nice: 5,
    residentPages: 2560,
    threads: 3,
    start: 56_789,
  });
});

test.each(['a) S 1 (b', ') (', 'two\nlines', '\u001b[2J', ''])('the process name %j is parsed', (name) => {
  expect(parseProcessRecord(line(name), 300)).toMatchObject({ name, state: 'S', start: 56_789 });
});

test('kernel threads and zombies are recognised', () => {
  expect(parseProcessRecord(line('kworker', { flags: 0x0020_8040 }), 300)?.isKernelThread).toBe(true);
  expect(parseProcessRecord(line('gone', { state: 'Z', threads: 1 }), 300)?.isZombie).toBe(true);
  expect(parseProcessRecord(line('half', { state: 'Z', threads: 3 }), 300)?.isZombie).toBe(false);
  expect(stateInWords({ state: 'T' })).toBe('stopped');
  expect(stateInWords({ state: '?' })).toBe('unknown');
});

test.each(['', '300', '300 (x', '300 (x) S 1 2'])('%j is not a stat line', (text) => {
  expect(parseProcessRecord(text, 300)).toBeNull();
});

test('a name that is not UTF-8 is read, and a truncated one is completed from the program', () => {
  const files = machineFiles({
    '/proc/300/stat': Buffer.from(line('x\u00ff'), 'latin1'),
    '/proc/300/exe': '-> /usr/libexec/gnome-session-binary (deleted)',
  });
  expect(readProcessRecord(files, 300)?.name).toBe('x\ufffd');
  expect(readProcessRecord(files, 301)).toBeNull();
  expect(wholeNameOf(files, { pid: 300, name: 'gnome-session-b' })).toBe('gnome-session-binary');
  expect(wholeNameOf(files, { pid: 300, name: 'something-else-' })).toBe('something-else-');
  expect(wholeNameOf(files, { pid: 300, name: 'gnome' })).toBe('gnome');
});
