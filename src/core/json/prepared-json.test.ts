import { expect, test } from 'bun:test';
import { createClock } from '../../host/clock.ts';
import { jsonOf, prepareJson } from './prepared-json.ts';

test('a prepared list gives the same text as JSON.stringify', async () => {
  for (const length of [0, 1, 100, 101, 200, 5001]) {
    const list = Array.from({ length }, (_, index) => ({ name: `"${index}"\n`, index, none: undefined }));
    const text = JSON.stringify(list);
    expect(await prepareJson(createClock(), list)).toBe(list);
    expect(jsonOf(list)).toBe(text);
  }
});

test('a list is serialised once', async () => {
  let written = 0;
  const entry = {
    toJSON() {
      written += 1;
      return 'x';
    },
  };
  const list = await prepareJson(createClock(), new Array(500).fill(entry));
  jsonOf(list);
  jsonOf(list);
  expect(written).toBe(500);
});

test.each([[null], [7], ['text'], [[]], [{ a: [1] }]])('%j needs no preparation', (value) => {
  expect(jsonOf(value)).toBe(JSON.stringify(value));
});
