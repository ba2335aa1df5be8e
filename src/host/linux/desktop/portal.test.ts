import { expect, test } from 'bun:test';
import type { Signal, SignalMatch } from '@hostler/dbus/dbus.ts';
import { fakeBus, memoryStorage } from '../../../../test/doubles/fake-host.ts';
import { until } from '../../../../test/harness/until.ts';
import { createMutterSession } from '../input/remote-desktop.mutter.ts';
import { openPortalDesktop } from '../input/remote-desktop.portal.ts';
import { askPortal } from './portal.ts';

const handle = '/org/freedesktop/portal/desktop/request/1_1/t';
const request = { part: 'Screenshot', member: 'Screenshot', signature: 'sa{sv}', body: ['', {}] };

/** A portal whose user has not answered yet. */
function asking(onClose: (answer: (code: number) => void) => void = () => {}) {
  let received: (signal: Signal) => void = () => {};
  const answer = (code: number) => received({ path: handle, body: [code, { uri: 'file:///x' }] } as unknown as Signal);
  const closed: string[] = [];
  const bus = fakeBus({
    'org.freedesktop.portal.Screenshot.Screenshot': () => [handle],
    'org.freedesktop.portal.Request.Close': ({ path }) => {
      closed.push(path);
      onClose(answer);
      return [];
    },
  });
  bus.subscribe = async (_match, listener) => {
    received = listener;
    return () => {
      received = () => {};
    };
  };
  return { bus, closed, answer };
}

test('a prompt that is not answered in time is closed', async () => {
  const { bus, closed } = asking();
  expect(await askPortal(bus, { ...request, timeoutMs: 1, withdraw: true })).toMatchObject({ outcome: 'asking' });
  expect(closed).toEqual([handle]);
});

test('a prompt is closed when the request is cancelled', async () => {
  const { bus, closed } = asking();
  const gone = new AbortController();
  const asked = askPortal(bus, { ...request, timeoutMs: 600_000, withdraw: true, signal: gone.signal });
  await until(() => bus.calls.length > 0, 'the prompt is shown');
  gone.abort();
  expect(await asked).toMatchObject({ outcome: 'asking' });
  expect(closed).toEqual([handle]);
  expect(await askPortal(bus, { ...request, timeoutMs: 600_000, withdraw: true, signal: gone.signal })).toMatchObject({
    outcome: 'asking',
  });
});

test('a response that arrives while the prompt is being closed counts', async () => {
  const { bus } = asking((answer) => answer(0));
  const answer = await askPortal(bus, { ...request, timeoutMs: 1, withdraw: true });
  expect(answer).toEqual({ outcome: 'done', results: { uri: 'file:///x' } });
});

test('a prompt without the option to close it stays', async () => {
  const { bus, closed } = asking();
  expect(await askPortal(bus, { ...request, timeoutMs: 1 })).toMatchObject({ outcome: 'asking' });
  expect(closed).toEqual([]);
});

test('answers and ends are taken from the owner of the name only', async () => {
  const matches: SignalMatch[] = [];
  let listener: (signal: Signal) => void = () => {};
  const answering = (results: object) => () => {
    listener({ sender: ':1.2', path: handle, interface: '', member: 'Response', body: [0, results] });
    return [handle];
  };
  const bus = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.Properties.Get': () => [1],
    'org.freedesktop.portal.RemoteDesktop.CreateSession': answering({ session_handle: '/session/1' }),
    'org.freedesktop.portal.RemoteDesktop.SelectDevices': answering({}),
    'org.freedesktop.portal.RemoteDesktop.Start': answering({}),
    'org.gnome.Mutter.RemoteDesktop.CreateSession': () => ['/session/2'],
  });
  bus.subscribe = async (match, received) => {
    matches.push(match);
    if (match.member === 'Response') listener = received;
    return () => {};
  };
  await (await openPortalDesktop(bus, { storage: memoryStorage(), paths: { state: '/s' } })).start();
  await createMutterSession(bus);
  expect([...new Set(matches.map(({ interface: name, member, sender }) => `${name}.${member} ${sender}`))]).toEqual([
    'org.freedesktop.portal.Request.Response org.freedesktop.portal.Desktop',
    'org.freedesktop.portal.Session.Closed org.freedesktop.portal.Desktop',
    'org.gnome.Mutter.RemoteDesktop.Session.Closed org.gnome.Mutter.RemoteDesktop',
  ]);
});

test('of the responses to other requests only some are stored', async () => {
  let received: (signal: Signal) => void = () => {};
  const response = (path: string) => ({ path, body: [0, {}] }) as unknown as Signal;
  const bus = fakeBus({
    'org.freedesktop.portal.Screenshot.Screenshot': () => {
      for (let number = 0; number < 16; number++) received(response(`${handle}${number}`));
      received(response(handle));
      return [handle];
    },
  });
  bus.subscribe = async (_match, listener) => {
    received = listener;
    return () => {};
  };
  expect(await askPortal(bus, { ...request, timeoutMs: 1 })).toMatchObject({ outcome: 'asking' });
});
