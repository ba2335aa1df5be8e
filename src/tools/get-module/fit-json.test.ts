import { expect, test } from 'bun:test';
import { fitting, maxBytes } from './get-module.ts';

test('lists within the limit stay as they are', () => {
  expect(fitting({ list: [1, 2], deep: { list: [] } }, 2)).toEqual({
    data: { list: [1, 2], deep: { list: [] } },
    truncated: [],
  });
});

test('longer lists are cut and reported with their path', () => {
  const data = { devices: [{ parts: [1, 2, 3] }, { parts: [1, 2, 3, 4] }, { parts: [] }] };
  expect(fitting(data, 2)).toEqual({
    data: { devices: [{ parts: [1, 2] }, { parts: [1, 2] }] },
    truncated: [
      { field: 'devices[]', shown: 2, total: 3 },
      { field: 'devices[].parts[]', shown: 2, total: 4 },
    ],
  });
});

test('data above the size limit is cut further', () => {
  const { data, truncated } = fitting(
    Array.from({ length: 1000 }, () => 'x'.repeat(200)),
    1000,
  );
  expect(JSON.stringify(data).length).toBeLessThanOrEqual(maxBytes);
  expect(truncated).toEqual([{ field: '[]', shown: 125, total: 1000 }]);
});

test('a smaller limit is honoured', () => {
  const list = Array.from({ length: 100 }, () => 'x'.repeat(100));
  expect(fitting(list, 50, 3000).truncated).toEqual([{ field: '[]', shown: 25, total: 100 }]);
});
