import { expect, test } from 'bun:test';
import { fakeClock } from '../../test/doubles/fake-host.ts';
import { createLog } from '../lib/log.ts';
import { createRequestLines } from './request-log.ts';

function start(level: 'DEBUG' | 'INFO') {
  const written: string[] = [];
  const log = createLog(
    (line) => void written.push(line.trimEnd()),
    level,
    () => new Date(0),
  );
  const clock = fakeClock();
  return { lines: createRequestLines('http', log, clock), written, clock };
}

const known = { what: 'GET /api/data/cpu', outcome: 200, address: '192.0.2.1', who: 'main' };

test('a line has the request, its outcome, its duration and its caller', () => {
  const { lines, written, clock } = start('DEBUG');
  const finish = lines.begin();
  clock.advance(12);
  finish?.(known);
  expect(written).toEqual([
    '1970-01-01T00:00:00.000Z DEBUG http: GET /api/data/cpu 200 in 12 ms, from 192.0.2.1, with the token "main"',
  ]);
});

test('no entry is created while DEBUG is off', () => {
  expect(start('INFO').lines.begin()).toBeNull();
});

test('no line has an empty address or an unlimited length', () => {
  const { lines, written } = start('DEBUG');
  lines.begin()?.({ ...known, address: '', what: `GET /${'x'.repeat(10_000)}` });
  expect(written[0]).toContain('from a connection that has ended, ');
  expect(written[0]?.length).toBeLessThan(400);
});

test('requests without a token get a limited number of lines a minute; those with a token are all logged', () => {
  const { lines, written, clock } = start('DEBUG');
  for (let i = 0; i < 1000; i += 1) lines.begin()?.({ ...known, who: null });
  for (let i = 0; i < 1000; i += 1) lines.begin()?.(known);
  expect(written).toHaveLength(1120);
  clock.advance(60_000);
  expect(written.at(-1)).toEndWith('http: 880 more requests without a valid token in this minute');
});
