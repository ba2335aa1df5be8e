import { expect, test } from 'bun:test';
import { type Bus, type Signal, variant } from '@hostler/dbus/dbus.ts';
import { fakeBus, noBus } from '../../../../test/doubles/fake-host.ts';
import { createDesktopNotifications } from './desktop-notifications.ts';

const own = 'org.freedesktop.Notifications';

/** A notification server whose signals the test sends. */
function daemon(duringNotify: (emit: (member: string, ...body: unknown[]) => void) => void = () => {}) {
  const subscribers = new Set<(signal: Signal) => void>();
  const emit = (member: string, ...body: unknown[]) => {
    for (const each of [...subscribers]) each({ sender: ':1.1', path: '/', interface: own, member, body });
  };
  let last = 0;
  const bus: Bus & { calls: { member: string; body?: unknown[] }[] } = {
    ...fakeBus({
      [`${own}.Notify`]: ({ body = [] }) => {
        last = Number(body[1]) || last + 1;
        duringNotify(emit);
        return [last];
      },
      [`${own}.CloseNotification`]: () => [],
      [`${own}.GetCapabilities`]: () => [['actions', 'body']],
    }),
    async subscribe(_match, onSignal) {
      subscribers.add(onSignal);
      return () => void subscribers.delete(onSignal);
    },
  };
  return { bus, emit, subscribers };
}

test('a notification follows the specification', async () => {
  const { bus } = daemon();
  const notifications = createDesktopNotifications(bus, 'Hostler');
  const id = await notifications.show({
    title: 'Title',
    body: 'Body',
    icon: 'dialog-information',
    actions: [{ key: 'ok', label: 'OK' }],
    hints: { urgency: variant('y', 2) },
    timeoutMs: 0,
    replaces: 7,
  });
  expect(id).toBe(7);
  expect(bus.calls.at(-1)).toMatchObject({
    member: 'Notify',
    signature: 'susssasa{sv}i',
    body: ['Hostler', 7, 'dialog-information', 'Title', 'Body', ['ok', 'OK'], { urgency: variant('y', 2) }, 0],
  });
  expect(await notifications.capabilities()).toEqual(new Set(['actions', 'body']));
});

test('button presses and the end are reported to the caller of that notification, then the subscription ends', async () => {
  const { bus, emit, subscribers } = daemon();
  const notifications = createDesktopNotifications(bus, 'Hostler');
  const received: string[] = [];
  const events = (name: string) => ({
    pressed: (key: string) => void received.push(`${name} pressed ${key}`),
    closed: (reason: string) => void received.push(`${name} ${reason}`),
  });
  const [first, second] = [
    await notifications.show({ title: 'a' }, events('a')),
    await notifications.show({ title: 'b' }, events('b')),
  ];
  expect(subscribers.size).toBe(2);
  emit('ActionInvoked', second, 'ok');
  emit('ActionInvoked', 99, 'ok');
  emit('NotificationClosed', second, 2);
  emit('ActionInvoked', second, 'ok');
  emit('NotificationClosed', first, 1);
  expect(received).toEqual(['b pressed ok', 'b dismissed', 'a expired']);
  await Promise.resolve();
  expect(subscribers.size).toBe(0);
});

test('above the limit, the oldest notification of the owner with most is no longer followed', async () => {
  const { bus } = daemon();
  const notifications = createDesktopNotifications(bus, 'Hostler');
  const forgotten: string[] = [];
  const show = (owner: string) =>
    notifications.show({ title: owner }, { owner, closed: (reason) => void forgotten.push(`${owner} ${reason}`) });
  await show('quiet');
  for (let count = 0; count < 201; count++) await show('greedy');
  expect(forgotten).toEqual(['greedy unknown', 'greedy unknown']);
});

test('signals that arrive before the reply with the id are not lost', async () => {
  const { bus } = daemon((emit) => {
    emit('ActionInvoked', 1, 'ok');
    emit('NotificationClosed', 1, 3);
  });
  const received: string[] = [];
  await createDesktopNotifications(bus, 'Hostler').show(
    { title: 'a' },
    { pressed: (key) => void received.push(key), closed: (reason) => void received.push(reason) },
  );
  expect(received).toEqual(['ok', 'closed']);
});

test('a signal with an endless key is not stored', async () => {
  const stored: unknown[] = [];
  const { bus } = daemon((emit) => {
    emit('ActionInvoked', 1, 'x'.repeat(1_000_000));
    emit('ActionInvoked', 1, 'ok');
  });
  await createDesktopNotifications(bus, 'Hostler').show({ title: 'a' }, { pressed: (one) => void stored.push(one) });
  expect(stored).toEqual(['ok']);
});

test('without a notification server show rejects, and the next call tries again', async () => {
  const notifications = createDesktopNotifications(noBus, 'Hostler');
  await expect(notifications.show({ title: 'a' }, {})).rejects.toThrow('no bus');
  await expect(notifications.show({ title: 'a' }, {})).rejects.toThrow('no bus');
  await notifications.withdraw(1);
});

test('the end of the notification server closes all notifications and ends the subscription', async () => {
  const { bus, emit, subscribers } = daemon();
  const received: string[] = [];
  const closed = (reason: string) => void received.push(reason);
  await createDesktopNotifications(bus, 'Hostler').show({ title: 'a' }, { closed });
  emit('NameOwnerChanged', own, '', ':1.7');
  expect(received).toEqual([]);
  emit('NameOwnerChanged', own, ':1.7', '');
  expect(received).toEqual(['unknown']);
  await Promise.resolve();
  expect(subscribers.size).toBe(0);
});
