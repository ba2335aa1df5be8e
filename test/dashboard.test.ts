import { describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import { createElement, options } from 'preact';
import { plainText, showForeignText } from '../web/foreign-text.ts';
import { exchangesOf, operationsOf } from '../web/state/documents.ts';
import { bytes, celsius, clockTime, duration, megahertz, percent, rate } from '../web/units.ts';

const document = (name: string) =>
  JSON.parse(fs.readFileSync(path.join(import.meta.dirname, '..', 'docs', name), 'utf8'));

describe('figures as people read them', () => {
  test.each([
    [bytes(0), '0 B'],
    [bytes(1023), '1023 B'],
    [bytes(1024), '1.00 KiB'],
    [bytes(3.2 * 2 ** 30), '3.20 GiB'],
    [bytes(252 * 2 ** 30), '252 GiB'],
    [rate(999), '999 B/s'],
    [rate(12_345_678), '12.3 MB/s'],
    [percent(99.5), '100 %'],
    [percent(1.25, 1), '1.3 %'],
    [celsius(48.25), '48.3 °C'],
    [celsius(-12.5), '-12.5 °C'],
    [megahertz(800), '800 MHz'],
    [megahertz(3450), '3.45 GHz'],
    [duration(0), '0 s'],
    [duration(59.9), '59 s'],
    [duration(60), '1 min'],
    [duration(3661), '1 h 1 min'],
    [duration(90_000), '1 d 1 h'],
    [clockTime(187), '3:07'],
    [clockTime(3753), '1:02:33'],
    [clockTime(-1), '0:00'],
  ])('%s', (shown, expected) => {
    expect(shown).toBe(expected);
  });

  test.each([bytes, rate, percent, celsius, megahertz, duration])(
    'what is not known is a dash, never a zero',
    (show) => {
      expect([show(null), show(undefined)]).toEqual(['–', '–']);
    },
  );
});

describe('the documents, as the page shows them', () => {
  test('every route has its statuses, and a payload its fields down to the last one', () => {
    const operations = operationsOf(document('openapi.json'));
    const cpu = operations.find((operation) => operation.path === '/api/data/cpu');
    const answer = cpu?.parts.find(({ title }) => title === 'Answer')?.fields;
    expect(answer?.map(({ name }) => name)).toContain('per_cpu[].times.user');
    expect(answer?.find(({ name }) => name === 'usage')?.type).toBe('number');
    for (const { parts } of operations) expect(parts.at(-1)?.fields.length).toBeGreaterThan(0);
  });

  test('every event has its answer and both their data', () => {
    const exchanges = exchangesOf(document('asyncapi.json'));
    const power = exchanges.find(({ event }) => event === 'POWER_SLEEP');
    expect(power).toMatchObject({ reply: 'POWER_SLEEPING' });
    expect(power?.data.map(({ name }) => name)).toEqual(['delay', 'force']);
    expect(power?.result.map(({ name }) => name)).toEqual(['action', 'at']);
    expect(exchanges.length).toBeGreaterThan(20);
  });
});

describe('names that others choose', () => {
  test('characters that turn the direction of text are shown as such, letters of any script as they are', () => {
    expect(plainText('a\u202eb\u2067c\u2069')).toBe('a\ufffdb\ufffdc\ufffd');
    expect(plainText('שלום \u200f(1) مرحبا')).toBe('שלום \u200f(1) مرحبا');
  });

  test('whatever draws them: all text and what is read aloud, but no address', () => {
    const before = options.vnode;
    showForeignText();
    try {
      const { props } = createElement('a', { title: '\u202et', href: '/\u202e' });
      expect(props).toMatchObject({ title: '\ufffdt', href: '/\u202e' });
      const text = { type: null, props: 'x\u202e' };
      options.vnode?.(text as never);
      expect(text.props).toBe('x\ufffd');
    } finally {
      if (before === undefined) delete options.vnode;
      else options.vnode = before;
    }
  });
});
