import { describe, expect, test } from 'bun:test';
import { oneLineEach } from '../web/components/event-merge.ts';
import { inTwo, withoutCodes } from '../web/components/reason-text.ts';
import { accessLevels, levelOf, levelsWithin } from '../web/state/access-levels.ts';
import { allScopes } from '../web/state/scopes.ts';
import { browserRows, merged } from '../web/views/tokens/tokens-merge.ts';

describe('the levels of access', () => {
  test('a device that asks has three, none of which administers', () => {
    const levels = levelsWithin(allScopes.filter((scope) => scope !== 'admin'));
    expect(levels.map(({ title }) => title)).toEqual(['View', 'Control', 'Everything except administration']);
    for (const { scopes } of levels) expect(scopes).not.toContain('admin');
  });

  test('each contains the one before, and is recognised in any order', () => {
    for (const [index, { scopes }] of accessLevels.entries()) {
      for (const scope of accessLevels[index - 1]?.scopes ?? []) expect(scopes).toContain(scope);
      expect(levelOf(scopes.toReversed())).toBe(accessLevels[index]);
    }
    expect(levelOf(['read', 'media'])).toBeUndefined();
  });
});

describe('browsers', () => {
  const now = Date.parse('2026-11-18T12:00:00Z');
  const session = (id: string, minutesAgo: number, name = 'Firefox on Linux') => ({
    id,
    name,
    token: 'main',
    address: '192.0.2.7',
    scopes: ['read'],
    last_used: new Date(now - minutesAgo * 60_000).toISOString(),
  });

  test('sessions of one browser are one row, the newest first; those without an open page are apart', () => {
    const { open, closed } = browserRows(
      [session('old', 3000), session('new', 2), session('phone', 900, 'Safari on iOS')],
      undefined,
      now,
    );
    expect(open.map((row) => row.map(({ id }) => id))).toEqual([['new', 'old']]);
    expect(closed.map((row) => row.map(({ id }) => id))).toEqual([['phone']]);
  });

  test('this browser is open, however long ago the service noted its last use', () => {
    expect(browserRows([session('own', 60)], 'own', now).open).toHaveLength(1);
  });

  test('clients that differ in one column stay two rows', () => {
    expect(merged(['a', 'b', 'a'], (each) => [each])).toEqual([['a', 'a'], ['b']]);
  });
});

describe('texts', () => {
  test('an action of an agent or an MQTT client is one line, and orders of others stay', () => {
    const events = [
      { at: 1000, kind: 'order', text: 'Build the site, by mqtt' },
      { at: 1010, kind: 'mqtt', text: 'Build the site, by MQTT' },
      { at: 9000, kind: 'order', text: 'Build the site, by Home Assistant' },
      { at: 9500, kind: 'agent', text: 'Restarts the machine, by the agent "x" with the token "y"' },
    ];
    expect(oneLineEach(events).map(({ text }) => text)).toEqual(events.slice(1).map(({ text }) => text));
  });

  test.each([
    [
      "D-Bus cannot be reached at /run/bus: ENOENT: no such file or directory, access '/run/bus'. In a container, mount it",
      'D-Bus cannot be reached at /run/bus: no such file or directory. In a container, mount it',
    ],
    ['EACCES: permission denied', 'permission denied'],
    ['This machine has no GPU', 'This machine has no GPU'],
  ])('%s is shown without codes', (reason, shown) => {
    expect(withoutCodes(reason)).toBe(shown);
  });

  test('a reason is a fact and what to do about it', () => {
    expect(inTwo('the application is not set up; run "hostler chat setup"; then wait')).toEqual({
      fact: 'The application is not set up.',
      advice: 'Run "hostler chat setup"; then wait.',
    });
    expect(inTwo('no bus at /run/x.sock: no such file. In a container, mount it')).toEqual({
      fact: 'No bus at /run/x.sock: no such file.',
      advice: 'In a container, mount it.',
    });
    expect(inTwo('This machine has no GPU')).toEqual({ fact: 'This machine has no GPU.', advice: '' });
  });
});
