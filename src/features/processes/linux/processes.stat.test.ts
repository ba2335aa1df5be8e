import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import fc from 'fast-check';
import {
  emptyStat,
  isKernelThread,
  type ProcessStat,
  parseProcessStat,
  processStatusOf,
  runsParentsProgram,
} from './processes.stat.ts';

/** One character per byte. */
function parse(text: string): (ProcessStat & { name: string }) | null {
  const bytes = Buffer.from(text, 'latin1');
  // The buffer may contain the rest of an earlier read.
  const buffer = Buffer.concat([bytes, Buffer.from('rest) of (the one before) S 1 1')]);
  const stat = emptyStat();
  if (!parseProcessStat(buffer, bytes.length, stat)) return null;
  return { ...stat, name: buffer.toString('latin1', stat.nameFrom, stat.nameTo) };
}

const systemd =
  '1 (systemd) S 0 1 1 0 -1 4194560 26402 1208344 97 1093 112 241 3140 1622 20 0 1 0 6 172306432 3220 18446744073709551615 1 1 0 0 0 0 671173123 4096 1260 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n';

test('the stat line of a real machine is parsed', () => {
  expect(parse(systemd)).toMatchObject({
    name: 'systemd',
    state: 'S'.charCodeAt(0),
    flags: 4_194_560,
    ticks: 112 + 241,
    threads: 1,
    start: 6,
    residentPages: 3220,
  });
});

test.each([
  'Web Content',
  'tmux: server',
  '((sd-pam))',
  ') R 1 (',
  'a) S 1 1 1',
  'two\nlines',
  '',
  ' ',
  '\xff\xfe\x00\x01',
  'kworker/0:1H-kblockd',
])('the name %j is read unchanged', (name) => {
  const stat = parse(systemd.replace('(systemd)', () => `(${name})`));
  expect(stat?.name).toBe(name);
  expect(stat).toMatchObject({ threads: 1, start: 6, residentPages: 3220 });
});

describe('an arbitrary process', () => {
  const count = fc.integer({ min: 0, max: 2 ** 31 });
  const process = fc.record({
    pid: fc.integer({ min: 1, max: 4_194_304 }),
    name: fc.uint8Array({ maxLength: 64 }).map((bytes) => Buffer.from(bytes).toString('latin1')),
    state: fc.constantFrom(...'RSDTtZXxKWIP'),
    terminal: fc.integer({ min: -1, max: 40_000 }),
    flags: fc.integer({ min: 0, max: 2 ** 32 - 1 }),
    user: count,
    system: count,
    priority: fc.integer({ min: -100, max: 39 }),
    threads: fc.integer({ min: 1, max: 100_000 }),
    start: fc.integer({ min: 0, max: 2 ** 50 }),
    size: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
    resident: fc.integer({ min: 0, max: 2 ** 40 }),
  });

  test('is parsed correctly, whatever its name', () => {
    fc.assert(
      fc.property(process, (it) => {
        const line = `${it.pid} (${it.name}) ${it.state} 1 1 1 ${it.terminal} -1 ${it.flags} 10 20 30 40 ${it.user} ${it.system} 5 6 ${it.priority} -20 ${it.threads} 0 ${it.start} ${it.size} ${it.resident} 18446744073709551615 1 1 0 0\n`;
        expect(parse(line)).toMatchObject({
          name: it.name,
          state: it.state.charCodeAt(0),
          flags: it.flags,
          ticks: it.user + it.system,
          threads: it.threads,
          start: it.start,
          residentPages: it.resident,
        });
      }),
    );
  });

  test('whose line ends before its memory is refused', () => {
    const memoryAt = systemd.indexOf(' 3220') + 1;
    fc.assert(
      fc.property(fc.integer({ min: 0, max: memoryAt }), (length) => {
        expect(parse(systemd.slice(0, length))).toBeNull();
      }),
    );
  });

  test('never throws on arbitrary bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(() => parse(Buffer.from(bytes).toString('latin1'))).not.toThrow();
      }),
    );
  });
});

test.skipIf(!fs.existsSync('/proc/self/stat'))('parses the line of this process', () => {
  const stat = parse(fs.readFileSync('/proc/self/stat', 'latin1'));
  expect(stat?.threads).toBeGreaterThan(0);
  expect(stat?.residentPages).toBeGreaterThan(1000);
  expect(stat && processStatusOf(stat)).toBe('running');
});

test('the flags identify kernel threads and processes that run the program of their parent', () => {
  const flagsOf = (flags: number) => ({ flags });
  expect(isKernelThread(flagsOf(2_129_984))).toBe(true);
  expect(isKernelThread(flagsOf(4_194_560))).toBe(false);
  expect(runsParentsProgram(flagsOf(4_194_368))).toBe(true);
  expect(runsParentsProgram(flagsOf(4_194_560))).toBe(false);
});

test.each([
  ['R', 'running'],
  ['S', 'sleeping'],
  ['D', 'disk-sleep'],
  ['T', 'stopped'],
  ['t', 'tracing-stop'],
  ['Z', 'zombie'],
  ['X', 'dead'],
  ['I', 'idle'],
  ['P', 'parked'],
  ['?', 'unknown'],
])('state %s is %s', (letter, word) => {
  expect(processStatusOf({ state: letter.charCodeAt(0) })).toBe(word);
});
