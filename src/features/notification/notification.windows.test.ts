import { expect, test } from 'bun:test';
import { fakeActionContext, fakeClock, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import type { ActionContext } from '../../core/action.ts';
import type { Deliver } from '../../core/clients.ts';
import { createKeptToasts } from '../../host/windows/kept-toasts.ts';
import { createToastPresses } from '../../host/windows/toast-presses.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { notificationSend } from './notification.ts';
import { notifierWindows } from './notification.windows.ts';

interface Desktop {
  state?: 'on' | 'off' | 'unknown';
  hasDesktop?: boolean;
  refuses?: string;
  given?: Partial<ActionContext>;
  /** Tags that the Action Center has at the beginning. */
  left?: string[];
  /** The files of an earlier process. */
  storage?: ReturnType<typeof memoryStorage>;
}

/** Stands for Windows' encryption. */
const sealing = {
  seal: async (text: string) => Buffer.from(text).toString('base64'),
  open: async (sealed: string) => Buffer.from(sealed, 'base64').toString(),
};

function desktop({
  state = 'on',
  hasDesktop = true,
  refuses,
  given = {},
  left = [],
  storage = memoryStorage(),
}: Desktop = {}) {
  const shown: { tag: string; xml: string }[] = [];
  const [hidden, balloons, opened]: [string[], string[][], string[]] = [[], [], []];
  let present = left;
  const toasts = {
    state: async () => state,
    async show(_app: string, xml: string, tag: string) {
      if (refuses !== undefined) throw new Error(refuses);
      shown.push({ tag, xml });
    },
    hide: async (_app: string, tag: string) => void hidden.push(tag),
    present: async () => present,
  };
  const shell32 = {
    async balloon(...text: string[]) {
      balloons.push(text);
      return hasDesktop;
    },
    open(address: string) {
      opened.push(address);
      return 33;
    },
  };
  const [stored, removed]: [string[], string[]] = [[], []];
  const scratch = {
    put(_bytes: Uint8Array, extension: string) {
      stored.push(extension);
      return `C:\\scratch\\${stored.length}${extension}`;
    },
    remove: (file: string) => void removed.push(file),
  };
  const clock = fakeClock();
  const presses = createToastPresses(
    clock,
    createKeptToasts({ clock, storage, sealing, paths: { state: '/s' } } as never),
  );
  const host = fakeHost({
    clock,
    presses,
    followEarlierPresses: presses.followEarlier,
    scratch,
    native: async () => ({ shell32 }),
    nativeElsewhere: (library: string) => (library === 'toasts' ? toasts : shell32),
  } as object);
  const notifier = notifierWindows(host as unknown as WindowsHost);
  const { context, notifications: sent, close } = fakeActionContext(host, given);
  const settle = async () => {
    for (let tick = 0; tick < 5; tick += 1) await new Promise((resolve) => setImmediate(resolve));
  };
  const addressOf = (key: string) => shown.at(-1)?.xml.match(new RegExp(`hostler:[0-9a-f]+-${key}`))?.[0] ?? '';
  /** As Windows does: it opens the address in the toast that was shown last. */
  const press = async (key: string, address = addressOf(key)) => {
    const isAccepted = await presses.accept(address);
    await settle();
    return isAccepted;
  };
  /** What the Action Center holds at the next look. */
  const holds = async (...tags: string[]) => {
    present = tags;
    clock.advance(1000);
    await settle();
  };
  const more = { settle, press, addressOf, holds, clock, storage };
  return { notifier, context, sent, close, shown, hidden, balloons, opened, removed, ...more };
}

const actions = [
  { command: 'yes', label: 'Yes & no', data: { answer: 42 } },
  { command: 'later', label: 'Later' },
];

test('a token has at most 20 toasts, and all of them are hidden when it is revoked', async () => {
  let isRevoked = false;
  const changed: (() => void)[] = [];
  const { notifier, context, hidden, removed } = desktop({
    given: {
      admits: () => !isRevoked,
      onTokensChange(follower) {
        changed.push(follower);
        return () => {};
      },
    },
  });
  const icon = `data:image/png;base64,${Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1').toString('base64')}`;
  for (let count = 0; count < 22; count++) await notifier.send({ title: 'a', icon }, context);
  expect(hidden).toEqual(['1', '2']);
  expect(new Set(removed).size).toBe(2);
  isRevoked = true;
  for (const follower of changed) follower();
  expect(hidden).toHaveLength(22);
  expect(new Set(removed).size).toBe(22);
});

test('requests, with their pictures, are not held in memory while their toasts are shown', async () => {
  const { notifier, context, shown } = desktop();
  const requests: WeakRef<object>[] = [];
  const request = async () => {
    const input = { title: 'a', message: 'b', actionUrl: 'https://example.test/' };
    requests.push(new WeakRef(input));
    await notifier.send(input, context);
  };
  for (let count = 0; count < 20; count++) await request();
  await new Promise((resolve) => setTimeout(resolve, 5));
  Bun.gc(true);
  expect(shown).toHaveLength(20);
  // The collector may find a few on the stack.
  expect(requests.filter((held) => held.deref() !== undefined).length).toBeLessThan(5);
});

test('a toast has its text and its buttons, and a pressed one is reported', async () => {
  const { notifier, context, sent, press, shown, clock } = desktop();
  const { data, message } = await notifier.send({ title: 'A <title>', message: 'Text', actions }, context);
  expect(message).toBe('The notification is shown');
  expect(shown[0]?.xml).toContain('<text>A &lt;title&gt;</text><text>Text</text>');
  expect(shown[0]?.xml).toMatch(
    /activationType="protocol" arguments="hostler:[0-9a-f]{32}-button-1" content="Yes &amp; no"/,
  );
  // From the Action Center, where the toast has moved meanwhile.
  clock.advance(3_600_000);
  expect(await press('button-1')).toBe(true);
  expect(await press('button-2')).toBe(false);
  expect(sent).toEqual([
    { type: 'NOTIFICATION_ACTION', data: { id: data.id, command: 'yes', label: 'Yes & no', data: { answer: 42 } } },
  ]);
});

test('a click on the toast opens its URL', async () => {
  const { notifier, context, sent, press, opened } = desktop();
  await notifier.send({ title: 'x', actionUrl: 'https://example.org/a' }, context);
  await press('default');
  expect(opened).toEqual(['https://example.org/a']);
  expect(sent).toMatchObject([{ data: { command: 'default', label: null } }]);
});

test('a waiting caller gets the pressed button, or null when it was closed or the time is over', async () => {
  const pressed = desktop();
  const answer = pressed.notifier.send({ title: 'x', actions, wait: 10 }, pressed.context);
  await pressed.settle();
  await pressed.press('button-2');
  expect((await answer).data.pressed).toBe('later');
  const closed = desktop();
  const none = closed.notifier.send({ title: 'x', actions, wait: 10 }, closed.context);
  await closed.settle();
  // It moves to the Action Center, and is removed there.
  await closed.holds('1');
  await closed.holds();
  expect((await none).data.pressed).toBeNull();
  expect(await closed.press('button-1')).toBe(false);
  const late = desktop();
  const over = late.notifier.send({ title: 'x', actions, wait: 10 }, late.context);
  await late.settle();
  late.clock.advance(10_000);
  expect((await over).data.pressed).toBeNull();
  // A toast that has only moved to the Action Center is not closed.
  await late.holds('1');
  expect(await late.press('button-1')).toBe(true);
  expect(late.sent).toMatchObject([{ data: { command: 'yes' } }]);
  await late.settle();
  expect(late.clock.advanceToNext()).toBe(false);
});

test('only the token that sent a toast closes or replaces it', async () => {
  const { notifier, context, hidden, shown } = desktop();
  const other = { ...context, caller: { ...context.caller, tokenId: 'other' } };
  const { data } = await notifier.send({ title: 'x' }, context);
  await expect(notifier.close({ id: data.id }, other)).rejects.toThrow('has no notification with the number');
  await expect(notifier.send({ title: 'y', replaces: data.id }, other)).rejects.toThrow('has no notification');
  expect((await notifier.send({ title: 'y', replaces: data.id }, context)).data.id).toBe(data.id);
  expect(shown.map(({ tag }) => tag)).toEqual([String(data.id), String(data.id)]);
  await notifier.close({ id: data.id }, context);
  expect(hidden).toEqual([String(data.id)]);
  await expect(notifier.close({ id: data.id }, context)).rejects.toThrow('has no notification');
});

test('what Windows lacks is reported: sounds, icons by name, files to open, a sixth button', async () => {
  const { notifier, context } = desktop();
  const many = Array.from({ length: 6 }, (_, index) => ({ command: `c${index}`, label: `L${index}` }));
  const input = { title: 'x', actions: many, sound: 'bell', icon: 'dialog-information', actionPath: 'a.txt' };
  const { message } = await notifier.send(input, context);
  for (const part of ['opens addresses only', '5 buttons of 6', 'sound is the usual one', 'no icon theme'])
    expect(message).toContain(part);
});

test('a picture in the request is stored in a file while the toast is shown', async () => {
  const { notifier, context, shown, removed, holds, press } = desktop();
  const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
  await notifier.send({ title: 'x', image: `data:image/png;base64,${png}` }, context);
  expect(shown[0]?.xml).toContain('placement="hero" src="file:///C:/scratch/1.png"');
  expect(removed).toEqual([]);
  await holds('1');
  await press('default');
  expect(removed).toEqual(['C:\\scratch\\1.png']);
});

test('where Windows does not know this program a balloon is shown, and the response says what it lacks', async () => {
  const { notifier, context, balloons } = desktop({ state: 'unknown' });
  const { message, data } = await notifier.send({ title: 'Title', message: 'Text', actions, wait: 5 }, context);
  expect(balloons).toEqual([['Title', 'Text']]);
  expect(message).toContain('"hostler service install" makes them possible');
  expect(data.pressed).toBeNull();
  const noDesktop = desktop({ state: 'unknown', hasDesktop: false });
  await expect(noDesktop.notifier.send({ title: 'x' }, noDesktop.context)).rejects.toThrow('There is no desktop');
});

test('switched-off notifications and failures of Windows are reported as such', async () => {
  const off = desktop({ state: 'off' });
  await expect(off.notifier.send({ title: 'x' }, off.context)).rejects.toThrow('switched off in the settings');
  const broken = desktop({ refuses: 'IToastNotifier.Show failed with 0x80070005' });
  await expect(broken.notifier.send({ title: 'x' }, broken.context)).rejects.toThrow(
    'Windows reported a failure: IToast',
  );
});

test('toasts of a service that has crashed are removed, since nothing would come of a press', async () => {
  const { notifier, context, hidden } = desktop({ left: ['1', '7'] });
  await notifier.send({ title: 'x' }, context);
  await notifier.send({ title: 'y' }, context);
  expect(hidden).toEqual(['1', '7']);
});

test('toasts stay when the service ends, and a later one reports their presses to the clients of their token', async () => {
  const before = desktop();
  await before.notifier.send({ title: 'x', actionUrl: 'https://example.org/a', actions }, before.context);
  const [button, itself] = ['button-1', 'default'].map(before.addressOf);
  await before.close();
  expect(before.hidden).toEqual([]);

  const delivered: Parameters<Deliver>[] = [];
  const deliver: Deliver = (...message) => delivered.push(message) > 0;
  const after = desktop({ storage: before.storage, left: ['1', '7'], given: { deliver } });
  after.context.keep(notificationSend.fromStart ?? (() => ({})));
  // Those of which nothing is known are removed; a number is not used again.
  const { data } = await after.notifier.send({ title: 'y' }, after.context);
  expect([after.hidden, data.id]).toEqual([['7'], 2]);
  expect(await after.press('button-1', button)).toBe(true);
  const action = { id: 1, command: 'yes', label: 'Yes & no', data: { answer: 42 } };
  expect(delivered).toEqual([
    ['main', { type: 'NOTIFICATION_ACTION', data: action }, { key: 'notification', type: 'pressed', data: action }],
  ]);
  // One toast, one press.
  expect(await after.press('default', itself)).toBe(false);
  expect([after.opened, after.balloons]).toEqual([[], []]);
});

test.each([
  ['opens its address', 'default', true, ['https://example.org/a'], []],
  [
    'is answered in words where no client of its token is connected',
    'button-2',
    true,
    [],
    [['Hostler', expect.stringContaining('"Later" was not reported')]],
  ],
  ['has no effect after its token was revoked', 'default', false, [], []],
] as const)('a press on a toast of an earlier service %s', async (_what, key, isAdmitted, opened, balloons) => {
  const before = desktop();
  await before.notifier.send({ title: 'x', actionUrl: 'https://example.org/a', actions }, before.context);
  const after = desktop({ storage: before.storage, given: { deliver: () => false, admits: () => isAdmitted } });
  after.context.keep(notificationSend.fromStart ?? (() => ({})));
  expect(await after.press(key, before.addressOf(key))).toBe(true);
  expect(after.opened).toEqual([...opened]);
  expect(after.balloons).toEqual([...balloons] as never);
});
