import { expect, test } from 'bun:test';
import { createLog } from '../lib/log.ts';
import { journalLines } from './platform.linux.ts';

test('the journal gets the level as a number, and records the time itself', () => {
  const line = journalLines('8:77', () => '8:77');
  const lines: string[] = [];
  const log = createLog((text) => lines.push(line?.(text) ?? ''), 'DEBUG');
  log.debug('a');
  log.info('b  c');
  log.warn('<0>d');
  log.error('e', new Error('f'));
  expect(lines.slice(0, 3)).toEqual(['<7>a\n', '<6>b  c\n', '<4><0>d\n']);
  expect(lines[3]).toStartWith('<3>e: Error: f');
});

test('lines are unchanged if standard error is not the journal', () => {
  expect(journalLines('8:77', () => '8:78')).toBeNull();
  expect(journalLines(null, () => '')).toBeNull();
  expect(journalLines('1:2')).toBeNull();
});

test('lines in JSON stay whole after their level', () => {
  const line = journalLines('8:77', () => '8:77');
  const lines: string[] = [];
  const log = createLog(
    (text) => lines.push(line?.(text) ?? ''),
    'DEBUG',
    () => new Date(0),
    'json',
  );
  log.warn('a "b" ERROR c');
  expect(lines).toEqual(['<4>{"time":"1970-01-01T00:00:00.000Z","level":"WARN","message":"a \\"b\\" ERROR c"}\n']);
});
