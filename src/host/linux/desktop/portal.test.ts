import { expect, test } from 'bun:test';
import type { Signal } from '@hostler/dbus/dbus.ts';
import { fakeBus } from '../../../../test/doubles/fake-host.ts';
import { until } from '../../../../test/harness/until.ts';
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
