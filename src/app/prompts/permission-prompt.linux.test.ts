import { describe, expect, test } from 'bun:test';
import { type Bus, type BusCall, BusError, type Signal } from '@hostler/dbus/dbus.ts';
import { fakeBus, fakeClock, noBus } from '../../../test/doubles/fake-host.ts';
import { until } from '../../../test/harness/until.ts';
import { unreadMs } from '../../core/prompts/open-prompt.ts';
import { askUserLinux, withdrawMs } from './permission-prompt.linux.ts';

const prompt = { title: '"agent" asks for power_action', text: 'Restart? Its reason: "<b>now</b> & here"' };
const escaped = 'Restart? Its reason: "&lt;b&gt;now&lt;/b&gt; &amp; here"';

/** Numbers its notifications by `numbers`, starting with 7 by default. */
function desktop(capabilities: string[], numbers: number[] = [7, 8, 9]) {
  let deliver: (signal: Signal) => void = () => {};
  const clock = fakeClock();
  let answers = 0;
  let closing: (() => void) | null = null;
  const shown: { id: number; body: unknown[] }[] = [];
  const bus = fakeBus({
    'org.freedesktop.Notifications.GetCapabilities': () => [capabilities],
    'org.freedesktop.Notifications.Notify': ({ body = [] }) => {
      const id = numbers[shown.length] ?? 0;
      shown.push({ id, body });
      return [id];
    },
    'org.freedesktop.Notifications.CloseNotification': () => {
      closing?.();
      return [];
    },
  });
  /** Capabilities are answered after this. */
  const held = { now: Promise.resolve() };
  /** Requests of this name are not answered before it resolves. */
  const hung = { member: '', until: Promise.withResolvers<void>() };
  const session: Bus = {
    ...bus,
    async call(given: BusCall) {
      if (given.member === 'GetCapabilities') await held.now;
      if (given.member === hung.member) await hung.until.promise;
      return await bus.call(given);
    },
    subscribe: async (match, listener) => {
      if (match.sender === 'org.freedesktop.Notifications') deliver = listener;
      return () => {};
    },
  };
  const say = (member: string, ...body: unknown[]) =>
    deliver({
      sender: 'org.freedesktop.Notifications',
      path: '/org/freedesktop/Notifications',
      interface: 'org.freedesktop.Notifications',
      member,
      body,
    });
  const buttons = (index = 0) => shown[index]?.body[5] as [allow: string, string, deny: string, string];
  /** The client knows its number a moment after it is shown. */
  const isShown = async (count = 1) => {
    await until(() => shown.length === count, 'the prompt is shown');
    await Bun.sleep(1);
  };
  return {
    bus,
    shown,
    say,
    buttons,
    isShown,
    clock,
    held,
    hung,
    answers: () => answers,
    whenClosing(callback: () => void) {
      closing = callback;
    },
    ask: (signal = never, asked: Parameters<typeof askUserLinux>[1] = prompt) =>
      askUserLinux({ dbus: { system: noBus, session }, clock }, asked, signal, () => void answers++),
    async read() {
      clock.advance(unreadMs);
      await Bun.sleep(1);
    },
    press: (which: 'allow' | 'deny', index = 0, id = shown[index]?.id) =>
      say('ActionInvoked', id, buttons(index)[which === 'allow' ? 0 : 2]),
  };
}

const never = new AbortController().signal;
const usual = ['actions', 'body', 'body-markup'];

test.each([
  ['Allow is yes', 'ActionInvoked', 'allow', 'allowed'],
  ['Deny is no', 'ActionInvoked', 'deny', 'denied'],
  ['the notification itself is no', 'ActionInvoked', 'default', 'denied'],
  ['closing is no', 'NotificationClosed', 2, 'denied'],
  ['expiry is no', 'NotificationClosed', 1, 'denied'],
] as const)('a permission prompt: %s', async (_name, member, detail, expected) => {
  const { bus, ask, shown, isShown, read, press, say, buttons } = desktop(usual);
  const answer = ask();
  await isShown();
  await read();
  if (detail === 'allow' || detail === 'deny') press(detail);
  else say(member, 7, detail);
  expect(await answer).toBe(expected);
  expect(shown[0]?.body[0]).toBe('Hostler permission');
  expect(shown[0]?.body.slice(3, 5)).toEqual([prompt.title, escaped]);
  expect([buttons()[1], buttons()[3]]).toEqual(['Allow', 'Deny']);
  expect(bus.calls.at(-1)).toMatchObject({ member: 'CloseNotification', body: [7] });
});

test('the answer is announced before the prompt is taken down, once, and no withdrawal is one', async () => {
  const { ask, isShown, read, press, answers, say, whenClosing } = desktop(usual);
  const seen: number[] = [];
  whenClosing(() => {
    seen.push(answers());
    say('NotificationClosed', 7 + seen.length - 1, 3);
  });
  const control = new AbortController();
  const withdrawn = ask(control.signal);
  await isShown();
  control.abort();
  expect(await withdrawn).toBe('denied');
  const answer = ask();
  await isShown(2);
  press('allow', 1);
  await isShown(3);
  await read();
  press('deny', 2);
  expect(await answer).toBe('denied');
  expect(seen).toEqual([0, 0, 1]);
  expect(answers()).toBe(1);
});

test('a prompt that takes too long is denied, and is taken off the screen', async () => {
  const { bus, ask, isShown } = desktop(['actions']);
  const control = new AbortController();
  const answer = ask(control.signal);
  await isShown();
  control.abort();
  expect(await answer).toBe('denied');
  expect(bus.calls.at(-1)?.member).toBe('CloseNotification');
});

test('a server that hangs while it shows a prompt does not hold it open, and a late prompt is taken off the screen', async () => {
  const { bus, ask, clock, hung, press, shown, answers } = desktop(usual);
  hung.member = 'Notify';
  const control = new AbortController();
  const answer = ask(control.signal);
  await Bun.sleep(1);
  control.abort();
  clock.advance(withdrawMs);
  expect(await answer).toBe('denied');
  expect(shown).toHaveLength(0);
  hung.until.resolve();
  await until(() => bus.calls.at(-1)?.member === 'CloseNotification', 'the late prompt to be withdrawn');
  press('allow');
  expect(answers()).toBe(0);
});

test('an answer counts although the server hangs when the prompt is taken down', async () => {
  const { ask, clock, hung, press, isShown, read } = desktop(usual);
  hung.member = 'CloseNotification';
  const control = new AbortController();
  const answer = ask(control.signal);
  await isShown();
  await read();
  press('allow');
  await Bun.sleep(1);
  control.abort();
  clock.advance(withdrawMs);
  expect(await answer).toBe('allowed');
});

describe('in the first second of a prompt', () => {
  test('Allow does not count, and the prompt is shown again with a note', async () => {
    const { bus, ask, shown, isShown, clock, read, press } = desktop(usual);
    const answer = ask();
    await isShown();
    clock.advance(unreadMs - 1);
    press('allow');
    await isShown(2);
    expect(bus.calls).toContainEqual(expect.objectContaining({ member: 'CloseNotification', body: [7] }));
    expect(shown[1]?.body[1]).toBe(0);
    expect(shown[1]?.body[4]).toStartWith(`${escaped}\nAllow was pressed within a second`);
    // The second prompt ignores the button in its own first second, too.
    press('allow', 1);
    await isShown(3);
    await read();
    press('allow', 2);
    expect(await answer).toBe('allowed');
  });

  test('an Allow that the desktop sent before its reply does not count either, however late it arrives', async () => {
    const { ask, isShown, press, clock, held } = desktop(usual);
    const control = new AbortController();
    const answer = ask(control.signal);
    await isShown();
    held.now = Promise.withResolvers<void>().promise;
    // Our own second is over, but the desktop has not processed what was sent after that.
    clock.advance(unreadMs * 5);
    await Bun.sleep(1);
    press('allow');
    await isShown(2);
    control.abort();
    expect(await answer).toBe('denied');
  });

  test('Deny counts at once', async () => {
    const { ask, isShown, press } = desktop(usual);
    const answer = ask();
    await isShown();
    press('deny');
    expect(await answer).toBe('denied');
  });
});

test('an Allow for an earlier prompt never counts, even if the desktop reuses numbers', async () => {
  const { ask, isShown, read, press } = desktop(usual, [7, 7]);
  const control = new AbortController();
  const first = ask(control.signal);
  await isShown();
  await read();
  control.abort();
  expect(await first).toBe('denied');
  const second = ask();
  await isShown(2);
  await read();
  press('allow', 0, 7);
  expect(await second).toBe('denied');
});

describe('if the prompt cannot be shown there is no answer', () => {
  const failing = (error: BusError): Bus => ({
    ...noBus,
    call: async () => {
      throw error;
    },
  });
  test.each<[name: string, bus: Bus, words: string]>([
    ['without a session bus', noBus, 'the session bus of the user cannot be reached'],
    [
      'with a notification server that is silent',
      failing(new BusError('Client.Timeout', 'late')),
      'the notification server of the desktop does not answer',
    ],
    [
      'without a notification server',
      failing(new BusError('org.freedesktop.DBus.Error.ServiceUnknown', 'none')),
      'no program in this session shows notifications',
    ],
    [
      'with a bus that went away',
      failing(new BusError('Client.Disconnected', 'gone')),
      'the session bus of the user cannot be reached',
    ],
  ])('%s', async (_name, session, words) => {
    const asking = askUserLinux({ dbus: { system: noBus, session }, clock: fakeClock() }, prompt, never, () => {});
    await expect(asking).rejects.toThrow(words);
  });

  test('with notifications that have no buttons', async () => {
    await expect(desktop(['body']).ask()).rejects.toThrow('no buttons');
  });
});

test('a further button allows less, and does not count in the first second either', async () => {
  const { ask, isShown, read, say, shown, buttons } = desktop(usual);
  const answer = ask(never, { ...prompt, less: 'Only reading' });
  await isShown();
  const lessKey = (index: number) => buttons(index)[2];
  expect(buttons().filter((_, at) => at % 2 === 1)).toEqual(['Allow', 'Only reading', 'Deny']);
  say('ActionInvoked', shown[0]?.id, lessKey(0));
  await isShown(2);
  await read();
  say('ActionInvoked', shown[1]?.id, lessKey(1));
  expect(await answer).toBe('less');
});
