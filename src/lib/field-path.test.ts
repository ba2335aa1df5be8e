import { describe, expect, test } from 'bun:test';
import { pathsIn, pickFields, toFieldTree, valuesAt, whereItBreaks } from './field-path.ts';

const disks = {
  devices: [
    { name: 'sda', partitions: [{ mount: '/', usage: { percent: 10, free: 1 } }] },
    {
      name: 'sdb',
      partitions: [
        { mount: '/a', usage: null },
        { mount: '/b', usage: { percent: 90, free: 2 } },
      ],
    },
  ],
  io: null,
};

describe('picking fields from a payload', () => {
  test.each([
    [['io'], { io: null }],
    [['devices.name'], { devices: [{ name: 'sda' }, { name: 'sdb' }] }],
    [['devices[].name', 'io'], { devices: [{ name: 'sda' }, { name: 'sdb' }], io: null }],
    [['devices.1.partitions.mount'], { devices: [{ partitions: [{ mount: '/a' }, { mount: '/b' }] }] }],
    [
      ['devices.partitions.usage.percent'],
      {
        devices: [
          { partitions: [{ usage: { percent: 10 } }] },
          { partitions: [{ usage: null }, { usage: { percent: 90 } }] },
        ],
      },
    ],
    [['devices.7.name'], { devices: [] }],
    [['io', 'devices', 'devices.name'], disks],
    [['devices.name', 'io', 'devices'], disks],
    [[], disks],
  ])('the fields %j', (paths, expected) => {
    expect(pickFields(disks, toFieldTree(paths))).toEqual(expected);
  });

  test('a path applies to each entry of a list at the root', () => {
    expect(pickFields([{ a: 1, b: 2 }], toFieldTree(['a']))).toEqual([{ a: 1 }]);
  });
});

test.each([
  ['io', [null]],
  ['devices.name', ['sda', 'sdb']],
  ['devices.partitions.usage.percent', [10, 90]],
  ['devices.0.partitions.0.mount', ['/']],
  ['devices.nothing', []],
  ['__proto__', []],
  ['devices.constructor', []],
])('the values at the path %s', (path, expected) => {
  expect(valuesAt(disks, path)).toEqual(expected);
});

test.each([
  ['devices.name', null],
  ['devices.partitions.usage.percent', null],
  ['io.anything', null],
  ['devices.nome', { name: 'nome', known: ['name', 'partitions'] }],
  ['nothing.at.all', { name: 'nothing', known: ['devices', 'io'] }],
  ['devices.name.first', { name: 'first', known: [] }],
])('the first unknown name in the path %s', (path, expected) => {
  expect(whereItBreaks(disks, path)).toEqual(expected);
});

test('any field of an empty list counts as known', () => {
  expect(whereItBreaks([], 'name')).toBeNull();
  expect(whereItBreaks({ sinks: [] }, 'sinks.port.name')).toBeNull();
});

test('paths in a text are named once each', () => {
  expect([...pathsIn(' usage,devices.name,,., usage ,')]).toEqual(['usage', 'devices.name']);
});

test('an own key __proto__ is picked like any other', () => {
  const value: unknown = JSON.parse('{"__proto__": {"a": 1}, "b": 2}');
  expect(JSON.stringify(pickFields(value, toFieldTree(['__proto__.a'])))).toBe('{"__proto__":{"a":1}}');
});

test('a path is followed without listing the keys of each entry', () => {
  let listings = 0;
  const entry = new Proxy(
    { name: 'a' },
    {
      ownKeys(target) {
        listings += 1;
        return Reflect.ownKeys(target);
      },
    },
  );
  expect(whereItBreaks([entry, entry], 'name')).toBeNull();
  expect(valuesAt([entry, entry], 'name')).toEqual(['a', 'a']);
  expect(listings).toBe(0);
});
