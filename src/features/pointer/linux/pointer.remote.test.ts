import { expect, test } from 'bun:test';
import { type Bus, BusError, type Signal, variant } from '@hostler/dbus/dbus.ts';
import { fakeBus, memoryStorage } from '../../../../test/doubles/fake-host.ts';
import type { PointerDisplay } from './pointer.mover.ts';
import { openPortalPointer, parsePortalStreams } from './pointer.remote.ts';
import type { PointerDesktop } from './pointer.session.ts';

const own = 'org.freedesktop.portal.RemoteDesktop';
const one: PointerDisplay = { id: 'DP-1', x: 0, y: 0, width: 1920, height: 1080, pixelWidth: 1920, pixelHeight: 1080 };
const two: PointerDisplay = { ...one, id: 'DP-2', x: 1920, pixelWidth: 3840, pixelHeight: 2160 };

function desktop(displays: PointerDisplay[]): PointerDesktop {
  return {
    wayland: { sync: async () => {} } as PointerDesktop['wayland'],
    globals: { bind: () => null },
    seat: null,
    known: () => displays,
    displays: async () => displays,
    withNew: (make) => make(),
    hasPointer: () => true,
    close: () => {},
  };
}

/** A portal whose user accepts or refuses, and chooses displays. `hasPictures`: PipeWire is available. */
function portal({
  decision = 0,
  types = 3,
  devices = 2,
  streams = [] as unknown[],
  hasPictures = true,
  isKwin = false,
} = {}) {
  const subscribers = new Set<(signal: Signal) => void>();
  const calls: [string, unknown[]][] = [];
  const request = '/org/freedesktop/portal/desktop/request/1_5/t';
  let asksForPictures = false;
  const answering = (name: string, decide: number | (() => number), results: object) => ({
    [name]: ({ body = [] }: { body?: unknown[] }) => {
      const member = name.split('.').at(-1) ?? '';
      calls.push([member, body]);
      if (member === 'CreateSession') asksForPictures = false;
      if (member === 'SelectSources') asksForPictures = true;
      const code = typeof decide === 'number' ? decide : decide();
      const signal = { sender: ':1.2', path: request, interface: 'org.freedesktop.portal.Request', member: 'Response' };
      for (const listener of subscribers) listener({ ...signal, body: [code, results] });
      return [request];
    },
  });
  const noting = (member: string) => ({
    [`${own}.${member}`]: ({ body = [] }: { body?: unknown[] }) => {
      calls.push([member, body.slice(2)]);
      return [];
    },
  });
  const bus: Bus = {
    ...fakeBus({
      'org.freedesktop.DBus.NameHasOwner': ({ body }) => [body?.[0] !== 'org.kde.KWin' || isKwin],
      'org.freedesktop.DBus.Properties.Get': () => [types],
      ...answering(`${own}.CreateSession`, 0, { session_handle: '/session/1' }),
      ...answering(`${own}.SelectDevices`, 0, {}),
      ...answering('org.freedesktop.portal.ScreenCast.SelectSources', 0, {}),
      ...answering(`${own}.Start`, () => (asksForPictures && !hasPictures ? 2 : decision), {
        devices,
        restore_token: 'next',
        streams,
      }),
      ...noting('NotifyPointerMotion'),
      ...noting('NotifyPointerMotionAbsolute'),
      ...noting('NotifyPointerButton'),
      ...noting('NotifyPointerAxisDiscrete'),
      'org.freedesktop.portal.Session.Close': () => [],
    }),
    async subscribe(match, listener) {
      const mine = (signal: Signal) => match.interface === signal.interface && listener(signal);
      subscribers.add(mine);
      return () => void subscribers.delete(mine);
    },
  };
  return { bus, calls };
}

const paths = { state: '/s' };
const shown = [
  [41, { position: [0, 0], size: [1920, 1080] }],
  [42, { position: [1920, 0], size: [1920, 1080] }],
];

test('a portal gets positions in the picture of a display, and its permission is stored apart from the keyboard', async () => {
  const storage = memoryStorage({ '/s/remote-desktop.token': 'of keys', '/s/remote-desktop-pointer.token': 'before' });
  const { bus, calls } = portal({ streams: shown });
  const mover = await openPortalPointer(bus, { storage, paths }, desktop([one, two]));
  // No permission prompt before the first move.
  expect(calls).toEqual([]);
  await mover.moveTo(two, 100, 50);
  await mover.moveBy(3, -4);
  await mover.button('right', true);
  await mover.button('right', false);
  await mover.scroll(-1, 2);
  await mover.settle();
  await mover.close();
  const options = { types: variant('u', 2), persist_mode: variant('u', 2), restore_token: 'before' };
  expect(calls.slice(1)).toEqual([
    ['SelectDevices', ['/session/1', options]],
    ['SelectSources', ['/session/1', { types: variant('u', 1), multiple: true }]],
    ['Start', ['/session/1', '', {}]],
    ['NotifyPointerMotionAbsolute', [42, 50, 25]],
    ['NotifyPointerMotion', [3, -4]],
    ['NotifyPointerButton', [0x111, 1]],
    ['NotifyPointerButton', [0x111, 0]],
    ['NotifyPointerAxisDiscrete', [0, 2]],
    ['NotifyPointerAxisDiscrete', [1, -1]],
  ]);
  expect(storage.read('/s/remote-desktop-pointer.token')).toBe('next\n');
  expect(storage.read('/s/remote-desktop.token')).toBe('of keys');
});

test('a display that was not chosen cannot be pointed at, but relative moves work', async () => {
  const { bus, calls } = portal({ streams: shown.slice(0, 1) });
  const mover = await openPortalPointer(bus, { storage: memoryStorage(), paths }, desktop([one, two]));
  await mover.moveTo(two, 1, 1);
  await expect(mover.settle()).rejects.toThrow('DP-2 was not chosen');
  await mover.moveBy(1, 1);
  await mover.settle();
  expect(calls.at(-1)).toEqual(['NotifyPointerMotion', [1, 1]]);
  const none = await openPortalPointer(portal().bus, { storage: memoryStorage(), paths }, desktop([one, two]));
  await expect(none.moveTo(one, 1, 1)).rejects.toThrow('choose the displays when the desktop asks');
});

test("KDE's portal gets a scroll distance, because it treats wheel steps as distances", async () => {
  const { bus, calls } = portal({ isKwin: true });
  const mover = await openPortalPointer(bus, { storage: memoryStorage(), paths }, desktop([one]));
  await mover.scroll(-1, 2);
  await mover.settle();
  expect(calls.slice(-2)).toEqual([
    ['NotifyPointerAxisDiscrete', [0, 20]],
    ['NotifyPointerAxisDiscrete', [1, -10]],
  ]);
});

/** A slow portal: records its calls, and rejects those named in `fails`. */
function slowly(fails: Record<string, Error> = {}) {
  const { bus } = portal({ streams: shown });
  const calls: string[] = [];
  const slow: Bus = {
    ...bus,
    async call(request) {
      if (!/^(Notify|Close)/.test(request.member)) return await bus.call(request);
      calls.push(`${request.member} begins`);
      await new Promise((resolve) => setTimeout(resolve, 5));
      calls.push('is answered');
      const failure = fails[request.member];
      if (failure !== undefined) throw failure;
      return [];
    },
  };
  return { calls, slow };
}
const button = ['NotifyPointerButton begins', 'is answered'];
const motion = ['NotifyPointerMotion begins', 'is answered'];
const closed = ['Close begins', 'is answered'];

test('each call to a portal is answered before the next is sent, because portals run calls in parallel', async () => {
  const { calls, slow } = slowly({ NotifyPointerMotion: new Error('refused') });
  const mover = await openPortalPointer(slow, { storage: memoryStorage(), paths }, desktop([one]));
  await mover.button('left', true);
  await mover.moveBy(1, 1);
  await mover.button('left', false);
  await expect(mover.settle()).rejects.toThrow('refused');
  // A pressed button is released after a refused call, and before the session ends.
  await mover.close();
  expect(calls).toEqual([...button, ...motion, ...button, ...closed]);
});

test('a portal that does not answer is waited for once, however many calls are queued', async () => {
  const { calls, slow } = slowly({ NotifyPointerMotion: new BusError('Client.Timeout', 'no answer') });
  const mover = await openPortalPointer(slow, { storage: memoryStorage(), paths }, desktop([one]));
  for (let time = 0; time < 50; time += 1) await mover.moveBy(1, 1);
  await expect(mover.settle()).rejects.toThrow('no answer');
  await mover.close();
  expect(calls).toEqual([...motion, ...closed]);
});

test('a picture without a position belongs to the only display; of several it is unknown', async () => {
  const unplaced = [
    [37, { size: [1920, 1080] }],
    [39, { size: [1920, 1080] }],
  ];
  const single = portal({ streams: unplaced.slice(0, 1) });
  const mover = await openPortalPointer(single.bus, { storage: memoryStorage(), paths }, desktop([one]));
  await mover.moveTo(one, 100, 50);
  await mover.settle();
  expect(single.calls.at(-1)).toEqual(['NotifyPointerMotionAbsolute', [37, 100, 50]]);
  const several = portal({ streams: unplaced });
  const lost = await openPortalPointer(several.bus, { storage: memoryStorage(), paths }, desktop([one, two]));
  await expect(lost.moveTo(one, 1, 1)).rejects.toThrow('does not report which of its pictures shows which display');
  await lost.moveBy(5, 6);
  await lost.settle();
  expect(several.calls.filter(([member]) => member === 'Start')).toHaveLength(1);
  expect(several.calls.at(-1)).toEqual(['NotifyPointerMotion', [5, 6]]);
});

test('without PipeWire relative moves work, and an absolute one says what is missing', async () => {
  const { bus, calls } = portal({ hasPictures: false });
  const mover = await openPortalPointer(bus, { storage: memoryStorage(), paths }, desktop([one]));
  await mover.moveBy(5, 6);
  await mover.moveBy(7, 8);
  await mover.settle();
  expect(calls.slice(-2)).toEqual([
    ['NotifyPointerMotion', [5, 6]],
    ['NotifyPointerMotion', [7, 8]],
  ]);
  expect(calls.filter(([member]) => member === 'Start')).toHaveLength(2);
  await expect(mover.moveTo(one, 1, 1)).rejects.toThrow('start pipewire and wireplumber');
  // A failed session is not used.
  await mover.moveBy(9, 9);
  await mover.settle();
  expect(calls.slice(-2)).toEqual([
    ['Start', ['/session/1', '', {}]],
    ['NotifyPointerMotion', [9, 9]],
  ]);
});

test('a refusal of the user is reported, and a portal without pointers says what to install', async () => {
  const mover = await openPortalPointer(
    portal({ decision: 1 }).bus,
    { storage: memoryStorage(), paths },
    desktop([one]),
  );
  await expect(mover.moveBy(1, 1)).rejects.toThrow('the user does not allow it');
  await expect(mover.moveBy(1, 1)).rejects.toThrow('the user does not allow it');
  const shared = await openPortalPointer(
    portal({ devices: 0 }).bus,
    { storage: memoryStorage(), paths },
    desktop([one]),
  );
  await expect(shared.moveBy(1, 1)).rejects.toThrow('the user did not allow that the pointer may be moved');
  const opening = openPortalPointer(portal({ types: 1 }).bus, { storage: memoryStorage(), paths }, desktop([one]));
  await expect(opening).rejects.toThrow('install xdg-desktop-portal');
});

test.each([null, 'x', [1], [[1]], [[1, null]], [['x', { position: [0, 0] }]]])(
  'a portal that answers %p shows nothing',
  (streams) => {
    expect(parsePortalStreams(streams)).toEqual([]);
  },
);

test.each([{}, { position: [0] }, { position: ['x', 0] }])('a picture with %p has no position', (facts) => {
  expect(parsePortalStreams([[7, facts]])).toEqual([{ node: 7, place: null }]);
});
