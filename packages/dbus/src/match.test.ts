import { expect, test } from 'bun:test';
// @ts-expect-error this part of it has no types
import reference from 'dbus-native/lib/match-rule.js';
import type { SignalMatch } from './dbus.ts';
import { matches, toRule } from './match.ts';

const signal = {
  sender: ':1.7',
  path: '/org/a/b',
  interface: 'org.a.B',
  member: 'Changed',
  body: ["it's, arg1='x'\\"],
};
const noOwner = () => null;

test('a rule has the requested fields, and its text cannot break out of its quotes', () => {
  expect(toRule({ interface: 'org.a.B' })).toBe("type='signal',interface='org.a.B'");
  const match: SignalMatch = {
    sender: ':1.7',
    interface: 'org.a.B',
    member: 'C',
    path: '/a',
    arg0: "it's, arg1='x'\\",
  };
  const parsed = reference.parse(toRule(match));
  expect(parsed).toMatchObject({ type: 'signal', sender: ':1.7', interface: 'org.a.B', member: 'C', path: '/a' });
  expect([...parsed.args]).toEqual([[0, "it's, arg1='x'\\"]]);
});

test('a signal goes to the subscribers whose rule matches', () => {
  const fitting: Partial<SignalMatch>[] = [
    {},
    { sender: ':1.7' },
    { path: '/org/a/b' },
    { pathNamespace: '/' },
    { pathNamespace: '/org/a' },
    { pathNamespace: '/org/a/b' },
    { member: 'Changed' },
    { arg0: "it's, arg1='x'\\" },
  ];
  const other: Partial<SignalMatch>[] = [
    { interface: 'org.a.C' },
    { sender: ':1.70' },
    { sender: 'org.a' },
    { path: '/org/a' },
    { pathNamespace: '/org/a/bb' },
    { pathNamespace: '/or' },
    { member: 'Change' },
    { arg0: '' },
  ];
  for (const part of fitting)
    expect([part, matches({ interface: 'org.a.B', ...part }, signal, noOwner)]).toEqual([part, true]);
  for (const part of other)
    expect([part, matches({ interface: 'org.a.B', ...part }, signal, noOwner)]).toEqual([part, false]);
});

test('a well-known sender matches the owner of the name', () => {
  const match = { interface: 'org.a.B', sender: 'org.a' };
  expect(matches(match, signal, () => ':1.7')).toBeTrue();
  expect(matches(match, signal, () => ':1.8')).toBeFalse();
  expect(matches(match, { ...signal, sender: 'org.a' }, noOwner)).toBeTrue();
});

test('a signal without sender or body matches no rule that requires them', () => {
  const { sender: _, body: __, ...bare } = signal;
  expect(matches({ interface: 'org.a.B', sender: 'org.a' }, bare, noOwner)).toBeFalse();
  expect(matches({ interface: 'org.a.B', arg0: 'x' }, bare, noOwner)).toBeFalse();
});

test('a namespace of names holds the name itself and those below it', () => {
  const match = { interface: 'org.a.B', arg0Namespace: 'org.mpris.MediaPlayer2' };
  const about = (name: unknown) => matches(match, { ...signal, body: [name] }, noOwner);
  expect(['org.mpris.MediaPlayer2', 'org.mpris.MediaPlayer2.vlc'].map(about)).toEqual([true, true]);
  expect(['org.mpris.MediaPlayer2x', 'org.mpris', 7, undefined].map(about)).toEqual([false, false, false, false]);
  expect(toRule(match)).toBe("type='signal',interface='org.a.B',arg0namespace='org.mpris.MediaPlayer2'");
});
