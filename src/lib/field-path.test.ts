import { describe, expect, test } from 'bun:test';
import { pickFields, toFieldTree, valuesAt, whereItBreaks } from './field-path.ts';

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
