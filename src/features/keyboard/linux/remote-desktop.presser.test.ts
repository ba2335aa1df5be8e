import { expect, test } from 'bun:test';
import { type Bus, type Signal, variant } from '@hostler/dbus/dbus.ts';
import { fakeBus, memoryStorage } from '../../../../test/doubles/fake-host.ts';
import { createClock } from '../../../host/clock.ts';
import { openPortalDesktop } from '../../../host/linux/input/remote-desktop.portal.ts';
import type { RemoteDesktop } from '../../../host/linux/input/remote-desktop.ts';
import { presserOver } from './remote-desktop.presser.ts';
import type { LayoutKeysyms } from './xkbcommon.ts';

const own = 'org.freedesktop.portal.RemoteDesktop';

/** A portal whose user accepts or refuses, and which remembers it. */
function portal({ decision = 0, types = 7 } = {}) {
  const subscribers = new Set<(signal: Signal) => void>();
  const calls: [string, unknown[]][] = [];
  const request = '/org/freedesktop/portal/desktop/request/1_5/t';
  const emit = (path: string, name: string, member: string, body: unknown[]) => {
    for (const listener of subscribers) listener({ sender: ':1.2', path, interface: name, member, body });
  };
  const answering = (member: string, code: number, results: object) => ({
    [`${own}.${member}`]: ({ body = [] }: { body?: unknown[] }) => {
      calls.push([member, body]);
      emit(request, 'org.freedesktop.portal.Request', 'Response', [code, results]);
      return [request];
    },
  });
  const bus: Bus = {
    ...fakeBus({
      'org.freedesktop.DBus.NameHasOwner': () => [true],
      'org.freedesktop.DBus.Properties.Get': () => [types],
      ...answering('CreateSession', 0, { session_handle: '/session/1' }),
      ...answering('SelectDevices', 0, {}),
      ...answering('Start', decision, { devices: 1, restore_token: 'next' }),
      [`${own}.NotifyKeyboardKeysym`]: ({ body = [] }) => {
        calls.push(['key', body]);
        return [];
      },
      'org.freedesktop.portal.Session.Close': () => {
        calls.push(['Close', []]);
        return [];
      },
    }),
    async subscribe(match, listener) {
      const mine = (signal: Signal) => match.interface === signal.interface && listener(signal);
      subscribers.add(mine);
      return () => void subscribers.delete(mine);
    },
  };
  const closed = () => emit('/session/1', 'org.freedesktop.portal.Session', 'Closed', []);
  return { bus, calls, subscribers, closed };
}

const paths = { state: '/s' };

test('the user is asked once, and the permission is stored', async () => {
  const storage = memoryStorage({ '/s/remote-desktop.token': 'before\n' });
  const { bus, calls, subscribers } = portal();
  const desktop = await openPortalDesktop(bus, { storage, paths });
  expect(calls).toEqual([]);
  await desktop.start();
  await desktop.key(0x61, true);
  await desktop.key(0x61, false);
  await desktop.stop();
  const options = { types: variant('u', 1), persist_mode: variant('u', 2), restore_token: 'before' };
  expect(calls.slice(1)).toEqual([
    ['SelectDevices', ['/session/1', options]],
    ['Start', ['/session/1', '', {}]],
    ['key', ['/session/1', {}, 0x61, 1]],
    ['key', ['/session/1', {}, 0x61, 0]],
    ['Close', []],
  ]);
  expect(storage.read('/s/remote-desktop.token')).toBe('next\n');
  expect(subscribers.size).toBe(0);
});

test('a refusal of the user is reported', async () => {
  const desktop = await openPortalDesktop(portal({ decision: 1 }).bus, { storage: memoryStorage(), paths });
  await expect(desktop.start()).rejects.toThrow('the user does not allow it');
});

test('a session that the user ended accepts no more keys', async () => {
  const { bus, closed } = portal();
  const desktop = await openPortalDesktop(bus, { storage: memoryStorage(), paths });
  await desktop.start();
  expect(desktop.isOpen()).toBe(true);
  closed();
  expect(desktop.isOpen()).toBe(false);
  const presser = presserOver(desktop, createClock(), async () => null);
  await expect(presser.prepare([0x61])).rejects.toThrow('has ended the session');
});

test('a portal without keyboards is not usable', async () => {
  const opening = openPortalDesktop(portal({ types: 2 }).bus, { storage: memoryStorage(), paths });
  await expect(opening).rejects.toThrow('no portal for remote control');
});

test('nothing starts before there is a key, and keys have the keysyms of the layout', async () => {
  const events: string[] = [];
  const desktop: RemoteDesktop = {
    start: async () => void events.push('start'),
    isOpen: () => true,
    key: async (keysym, isDown) => void events.push(`${isDown ? '+' : '-'}${keysym.toString(16)}`),
    stop: async () => void events.push('stop'),
  };
  const layout: LayoutKeysyms = new Map([[0x0100_0436, { keysym: 0x6d6, code: 39, level: 0, isEverywhere: true }]]);
  const presser = presserOver(desktop, createClock(), async () => layout);
  expect(events).toEqual([]);
  expect(await presser.lacks?.([0x0100_0436])).toBe(false);
  expect(await presser.lacks?.([0x0100_4e00])).toBe(true);
  presser.down(0x0100_0436);
  presser.up(0x0100_0436);
  await presser.settle();
  await presser.close();
  expect(events).toEqual(['start', '+ffe1', '-ffe1', '+6d6', '-6d6', 'stop']);
});

test('a missing layout is requested again, and until then no key is sent that the desktop would drop', async () => {
  const pressed: number[] = [];
  const desktop: RemoteDesktop = {
    start: async () => {},
    isOpen: () => true,
    async key(keysym, isDown) {
      if (isDown) pressed.push(keysym);
    },
    stop: async () => {},
  };
  const euro = 0x0100_20ac;
  const layout: LayoutKeysyms = new Map([[euro, { keysym: 0x20ac, code: 435, level: 0, isEverywhere: true }]]);
  const answers = [null, null, layout];
  const presser = presserOver(desktop, createClock(), async () => answers.shift() ?? null);
  expect(await presser.lacks?.([0x61, 0xff0d, 0xfe03])).toBe(false);
  await expect(presser.lacks?.([0x61, euro])).rejects.toThrow('did not send its keyboard layout');
  expect(await presser.lacks?.([euro])).toBe(false);
  pressed.splice(0);
  presser.down(euro);
  await presser.settle();
  expect(pressed).toEqual([0x20ac]);
});
