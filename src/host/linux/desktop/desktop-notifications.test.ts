import { expect, test } from 'bun:test';
import { type Bus, type Signal, variant } from '@hostler/dbus/dbus.ts';
import { fakeBus, noBus } from '../../../../test/doubles/fake-host.ts';
import { createDesktopNotifications } from './desktop-notifications.ts';

const own = 'org.freedesktop.Notifications';

/** A daemon that numbers what it shows, and says what the test wants it to say. */
function daemon(duringNotify: (say: (member: string, ...body: unknown[]) => void) => void = () => {}) {
  const subscribers = new Set<(signal: Signal) => void>();
  const say = (member: string, ...body: unknown[]) => {
    for (const each of [...subscribers]) each({ sender: ':1.1', path: '/', interface: own, member, body });
  };
  let last = 0;
  const bus: Bus & { calls: { member: string; body?: unknown[] }[] } = {
    ...fakeBus({
      [`${own}.Notify`]: ({ body = [] }) => {
        last = Number(body[1]) || last + 1;
        duringNotify(say);
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
  return { bus, say, subscribers };
}

test('a notification is sent as the specification says', async () => {
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

test('buttons and the end are heard, by whoever showed it, and then nothing is listened to any more', async () => {
  const { bus, say, subscribers } = daemon();
  const notifications = createDesktopNotifications(bus, 'Hostler');
  const heard: string[] = [];
  const events = (name: string) => ({
    pressed: (key: string) => void heard.push(`${name} pressed ${key}`),
    closed: (reason: string) => void heard.push(`${name} ${reason}`),
  });
  const [first, second] = [
    await notifications.show({ title: 'a' }, events('a')),
    await notifications.show({ title: 'b' }, events('b')),
  ];
  expect(subscribers.size).toBe(2);
  say('ActionInvoked', second, 'ok');
  say('ActionInvoked', 99, 'ok');
  say('NotificationClosed', second, 2);
  say('ActionInvoked', second, 'ok');
  say('NotificationClosed', first, 1);
  expect(heard).toEqual(['b pressed ok', 'b dismissed', 'a expired']);
  await Promise.resolve();
  expect(subscribers.size).toBe(0);
});

test('what happens before the number is known is not lost', async () => {
  const { bus } = daemon((say) => {
    say('ActionInvoked', 1, 'ok');
    say('NotificationClosed', 1, 3);
  });
  const heard: string[] = [];
  await createDesktopNotifications(bus, 'Hostler').show(
    { title: 'a' },
    { pressed: (key) => void heard.push(key), closed: (reason) => void heard.push(reason) },
  );
  expect(heard).toEqual(['ok', 'closed']);
});

test('without anybody to show it the caller learns of it, and the next one is tried again', async () => {
  const notifications = createDesktopNotifications(noBus, 'Hostler');
  await expect(notifications.show({ title: 'a' }, {})).rejects.toThrow('no bus');
  await expect(notifications.show({ title: 'a' }, {})).rejects.toThrow('no bus');
  await notifications.withdraw(1);
});

test('with who shows them all of them are gone, and nothing is listened to any more', async () => {
  const { bus, say, subscribers } = daemon();
  const heard: string[] = [];
  const closed = (reason: string) => void heard.push(reason);
  await createDesktopNotifications(bus, 'Hostler').show({ title: 'a' }, { closed });
  say('NameOwnerChanged', own, '', ':1.7');
  expect(heard).toEqual([]);
  say('NameOwnerChanged', own, ':1.7', '');
  expect(heard).toEqual(['unknown']);
  await Promise.resolve();
  expect(subscribers.size).toBe(0);
});
