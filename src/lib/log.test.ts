import { expect, test } from 'bun:test';
import { createLog } from './log.ts';

function lines(level: 'DEBUG' | 'INFO' | 'WARN' | 'ERROR') {
  const written: string[] = [];
  const log = createLog(
    (line) => written.push(line),
    level,
    () => new Date(0),
  );
  return { log, written };
}

test('a line has time, level and text; what is below the level is left out', () => {
  const { log, written } = lines('WARN');
  log.debug('a');
  log.info('b');
  log.warn('c');
  log.error('d', new Error('why'));
  expect(written[0]).toBe('1970-01-01T00:00:00.000Z WARN  c\n');
  expect(written[1]).toStartWith('1970-01-01T00:00:00.000Z ERROR d: Error: why');
  expect(written).toHaveLength(2);
});

test('the level can change while it runs', () => {
  const { log, written } = lines('ERROR');
  log.info('no');
  log.setLevel('DEBUG');
  log.debug('yes');
  expect(written).toHaveLength(1);
});

test('untrusted text forges no line and controls no terminal', () => {
  const { log, written } = lines('INFO');
  log.info('a\n2026 ERROR forged\r\x1b[31mred\x00\u2028\u202e');
  expect(written).toEqual(['1970-01-01T00:00:00.000Z INFO  a 2026 ERROR forged \\u001b[31mred\\u0000\\u2028\\u202e\n']);
});

test('as JSON, each line is one object, and the text that people read comes with it', () => {
  const written: [string, string][] = [];
  const log = createLog(
    (...both) => void written.push(both),
    'INFO',
    () => new Date(0),
    'json',
  );
  log.info('a "b"\n{"level":"forged"}');
  expect(written).toEqual([
    [
      '{"time":"1970-01-01T00:00:00.000Z","level":"INFO","message":"a \\"b\\" {\\"level\\":\\"forged\\"}"}\n',
      '1970-01-01T00:00:00.000Z INFO  a "b" {"level":"forged"}\n',
    ],
  ]);
});

test('lines are held until the format is known', () => {
  const written: string[] = [];
  const log = createLog(
    (line) => void written.push(line),
    'INFO',
    () => new Date(0),
    null,
  );
  log.warn('early');
  expect(written).toEqual([]);
  log.setFormat('json');
  log.warn('late');
  expect(written.map((line) => JSON.parse(line).message)).toEqual(['early', 'late']);
});

test('the log reports whether debug lines are written', () => {
  const { log } = lines('INFO');
  expect(log.isDebug()).toBe(false);
  log.setLevel('DEBUG');
  expect(log.isDebug()).toBe(true);
});
