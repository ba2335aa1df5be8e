import { expect, test } from 'bun:test';
import { BusError, type SignalMatch } from './dbus.ts';
import { checkCall, checkMatch, isBusName, isInterfaceName, isMemberName, isObjectPath } from './names.ts';

const long = 'a'.repeat(255);

const table: [(value: unknown) => boolean, string[], unknown[]][] = [
  [
    isBusName,
    [
      'org.freedesktop.DBus',
      'a.b',
      ':1.42',
      ':1.1a.-x',
      'org.mpris.MediaPlayer2.mpv-2',
      '_a._b',
      `a.${'b'.repeat(253)}`,
    ],
    [
      '',
      'a',
      '.a',
      'a.',
      'a..b',
      '1a.b',
      'a.1b',
      ':',
      ':1',
      ':1..2',
      'a.b c',
      "a.b'",
      'a.b\n',
      'a.b\0',
      'ä.b',
      `a.${long}`,
      null,
      5,
    ],
  ],
  [
    isObjectPath,
    ['/', '/a', '/a/b_1', '/1/2', `/${'a/'.repeat(2000)}b`],
    [
      '',
      'a',
      '//',
      '/a/',
      '/a//b',
      '/a-b',
      '/a b',
      '/a.b',
      '/../etc',
      '/a\0',
      '/a\n',
      "/a'",
      '/ä',
      `/${'a'.repeat(5000)}`,
      undefined,
    ],
  ],
  [
    isInterfaceName,
    ['org.freedesktop.DBus.Properties', 'a.b', '_._'],
    ['', 'a', 'a.', '.a', 'a..b', 'a.1b', 'a-b.c', 'a.b-c', ':1.2', 'a.b\0', 'a.b\n', `a.${long}`, {}],
  ],
  [isMemberName, ['Get', '_x', 'a1', long], ['', '1a', 'a.b', 'a-b', 'a b', 'a\n', 'a\0', "a'", `${long}a`, null]],
];

for (const [isValid, valid, invalid] of table) {
  test(`${isValid.name} follows the rules of the specification`, () => {
    for (const name of valid) expect([name, isValid(name)]).toEqual([name, true]);
    for (const name of invalid) expect([name, isValid(name)]).toEqual([name, false]);
  });
}

const call = { destination: 'a.b', path: '/', interface: 'a.b', member: 'C' };

test('a call with one hostile name is refused with a sentence that shows it', () => {
  expect(() => checkCall(call)).not.toThrow();
  for (const field of ['destination', 'path', 'interface', 'member'] as const) {
    const check = () => checkCall({ ...call, [field]: "x',eavesdrop='true" });
    expect(check).toThrow(BusError);
    expect(check).toThrow(`"x',eavesdrop='true" is not a valid D-Bus`);
  }
});

test('a match with one hostile part is refused', () => {
  const hostile: SignalMatch[] = [
    { interface: "a.b',member='x" },
    { interface: 'a.b', sender: 'a' },
    { interface: 'a.b', member: 'a.b' },
    { interface: 'a.b', path: 'a' },
    { interface: 'a.b', pathNamespace: '/a/' },
    { interface: 'a.b', arg0: 'a\0b' },
    { interface: 'a.b', path: '/a', pathNamespace: '/a' },
  ];
  for (const match of hostile) expect(() => checkMatch(match)).toThrow(BusError);
  expect(() => checkMatch({ interface: 'a.b', sender: ':1.2', member: 'C', path: '/d', arg0: "it's" })).not.toThrow();
});
