import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { type Bus, BusError, type Signal, variant } from '@hostler/dbus/dbus.ts';
import {
  fakeActionContext,
  fakeBus,
  fakeHost,
  memoryStorage,
  noBus,
  noLaunch,
} from '../../../test/doubles/fake-host.ts';
import { realContained } from '../../../test/harness/contained.ts';
import { lacks } from '../../../test/harness/lacks.ts';
import { until } from '../../../test/harness/until.ts';
import type { ActionContext } from '../../core/action.ts';
import { createControlPause } from '../../core/control-pause.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { createScratch } from '../../host/scratch.ts';
import { createListeners } from '../../lib/listeners.ts';
import { notificationEntities } from './notification.controls.ts';
import { notificationClose as close, notificationSend as send } from './notification.ts';

const own = 'org.freedesktop.Notifications';
const png = Buffer.from('\x89PNG\r\n\x1a\n0000', 'latin1');
const dataUrl = `data:image/png;base64,${png.toString('base64')}`;
let home: string;

beforeAll(() => {
  home = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-notification-'));
  fs.mkdirSync(path.join(home, 'Pictures'));
  fs.writeFileSync(path.join(home, 'Pictures', 'a.png'), png);
  fs.writeFileSync(path.join(home, 'Pictures', 'a.wav'), 'RIFF');
  fs.writeFileSync(path.join(home, 'Pictures', 'a.txt'), 'text');
  fs.mkdirSync(path.join(home, '.local/share/sounds/freedesktop/stereo'), { recursive: true });
  fs.writeFileSync(path.join(home, '.local/share/sounds/freedesktop/stereo/message-new.oga'), 'OggS');
});
afterAll(() => fs.rmSync(home, { recursive: true, force: true }));

/** A desktop that numbers its notifications. */
function desktop({
  can = ['actions', 'body', 'body-markup'],
  programs = ['pw-play', 'xdg-open'],
  given = {},
  whilePlaying = Promise.resolve(),
}: {
  can?: string[];
  programs?: string[];
  given?: Partial<ActionContext>;
  whilePlaying?: Promise<void>;
} = {}) {
  const subscribers = new Set<(signal: Signal) => void>();
  const notified: unknown[][] = [];
  const withdrawn: unknown[] = [];
  const played: string[][] = [];
  const ended: string[] = [];
  const opened: string[] = [];
  const say = async (member: string, ...body: unknown[]) => {
    for (const each of [...subscribers]) each({ sender: ':1.1', path: '/', interface: own, member, body });
    await new Promise((resolve) => setTimeout(resolve, 5));
  };
  const bus: Bus = {
    ...fakeBus({
      [`${own}.Notify`]: ({ body = [] }) => [Number(body[1]) || (notified.push(body) && notified.length)],
      [`${own}.CloseNotification`]: ({ body: [id] = [] }) => {
        withdrawn.push(id);
        void say('NotificationClosed', id, 3);
        return [];
      },
      [`${own}.GetCapabilities`]: () => [can],
    }),
    async subscribe(_match, listener) {
      subscribers.add(listener);
      return () => void subscribers.delete(listener);
    },
  };
  const x11 = { display: ':7', number: 7, socket: '/tmp/.X11-unix/X7', authorities: [] };
  const parts: Partial<Omit<LinuxHost, 'clock' | 'environment'>> = {
    dbus: { system: noBus, session: bus },
    contained: realContained(),
    storage: memoryStorage(),
    scratch: createScratch(
      home,
      () => true,
      () => null,
    ),
    paths: { config: home, state: home, runtime: home },
    session: { find: async () => ({ variables: {}, wayland: null, x11 }), watch: () => () => {} },
    launch: {
      ...noLaunch,
      find: (name) => (programs.includes(name) ? `/usr/bin/${name}` : null),
      start: async (_program, [target = '']) => {
        opened.push(target);
        return 0;
      },
    },
    run: async (program, args, options) => {
      played.push([program, ...args]);
      options?.signal?.addEventListener('abort', () => ended.push(program));
      await whilePlaying;
      return { exitCode: 0, signal: null, stdout: '', stderr: '', truncated: false, timedOut: false };
    },
  };
  const environment = { home, variables: { XDG_DATA_DIRS: '/nonexistent' } };
  const { context, notifications: sent, close: end } = fakeActionContext(fakeHost({ ...parts, environment }), given);
  const ask = async (input: Record<string, unknown>) => await send.run((await send.input()).parse(input), context);
  return {
    ask,
    context,
    sent,
    end,
    say,
    notified,
    withdrawn,
    played,
    ended,
    opened,
    subscribers,
    scratch: parts.scratch,
  };
}

const left = () =>
  fs
    .readdirSync(home)
    .filter((name) => name.startsWith('hostler-files'))
    .flatMap((name) => fs.readdirSync(path.join(home, name)));

test('a notification is shown with all its fields', async () => {
  const { ask, notified } = desktop();
  const input = { title: 'Title', message: 'Text', icon: 'dialog-information', urgency: 'critical', timeout: 5000 };
  expect(await ask(input)).toEqual({ message: 'The notification is shown', data: { id: 1 } });
  const hints = { urgency: variant('y', 2) };
  expect(notified).toEqual([['Hostler', 0, 'dialog-information', 'Title', 'Text', [], hints, 5000]]);
});

test('the text is escaped only where the desktop supports markup', async () => {
  const message = 'a < b & <b>c</b>\0\ud800';
  const marked = desktop();
  await marked.ask({ title: '<t>', message });
  expect(marked.notified[0]?.slice(3, 5)).toEqual(['<t>', 'a &lt; b &amp; &lt;b&gt;c&lt;/b&gt;\ufffd\ufffd']);
  const plain = desktop({ can: ['body'] });
  await plain.ask({ title: '<t>', message });
  expect(plain.notified[0]?.slice(3, 5)).toEqual(['<t>', 'a < b & <b>c</b>\ufffd\ufffd']);
});

test('duration is the same as timeout, and without both the desktop decides', async () => {
  const { ask, notified } = desktop();
  await ask({ title: 'a', duration: 700.4 });
  await ask({ title: 'a', timeout: 0, duration: 700 });
  await ask({ title: 'a' });
  expect(notified.map((body) => body.at(-1))).toEqual([700, 0, -1]);
});

describe('buttons of a notification', () => {
  const actions = [
    { command: 'snooze', label: 'Later', data: { minutes: 5 } },
    { command: 'default', label: 'Now' },
  ];

  test('are reported to the sender, with their data', async () => {
    const { ask, notified, sent, say, subscribers } = desktop();
    await ask({ title: 'a', actions });
    expect(notified[0]?.[5]).toEqual(['default', 'Open', 'button-1', 'Later', 'button-2', 'Now']);
    await say('ActionInvoked', 1, 'button-1');
    await say('ActionInvoked', 1, 'button-2');
    await say('ActionInvoked', 1, 'default');
    await say('ActionInvoked', 9, 'button-1');
    expect(sent).toEqual([
      { type: 'NOTIFICATION_ACTION', data: { id: 1, command: 'snooze', label: 'Later', data: { minutes: 5 } } },
      { type: 'NOTIFICATION_ACTION', data: { id: 1, command: 'default', label: 'Now', data: null } },
      { type: 'NOTIFICATION_ACTION', data: { id: 1, command: 'default', label: null, data: null } },
    ]);
    await say('NotificationClosed', 1, 2);
    await say('ActionInvoked', 1, 'button-1');
    expect(sent).toHaveLength(3);
    expect(subscribers.size).toBe(0);
  });

  test('closing is reported once, with the reason', async () => {
    const reported: unknown[] = [];
    const { ask, say, context } = desktop();
    context.report = (type, data) => void reported.push(notificationEntities.onMessage?.(type, data));
    await ask({ title: 'a', actions });
    await ask({ title: 'b' });
    await say('NotificationClosed', 1, 1);
    await say('NotificationClosed', 1, 1);
    await say('NotificationClosed', 2, 2);
    expect(reported).toEqual([
      { key: 'notification', type: 'closed', data: { id: 1, reason: 'expired' } },
      { key: 'notification', type: 'closed', data: { id: 2, reason: 'dismissed' } },
    ]);
  });

  test('can be waited for', async () => {
    const { ask, say } = desktop();
    const pressed = ask({ title: 'a', actions, wait: 60 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await say('ActionInvoked', 1, 'button-1');
    expect((await pressed).data).toEqual({ id: 1, pressed: 'snooze' });
    const dismissed = ask({ title: 'a', actions, wait: 60 });
    await new Promise((resolve) => setTimeout(resolve, 20));
    await say('NotificationClosed', 2, 2);
    expect((await dismissed).data).toEqual({ id: 2, pressed: null });
  });

  test('are missing on some desktops, and the response says so', async () => {
    expect((await desktop({ can: ['body'] }).ask({ title: 'a', actions }))?.message).toContain('shows no buttons');
  });
});

describe('a click on a notification', () => {
  test('opens the allowed URL or path, and is reported', async () => {
    const { ask, say, opened, sent } = desktop();
    await ask({ title: 'a', actionUrl: 'https://example.test/' });
    await ask({ title: 'a', actionPath: '~/Pictures/a.png' });
    await say('ActionInvoked', 1, 'default');
    await say('ActionInvoked', 2, 'default');
    expect(opened).toEqual(['https://example.test/', path.join(fs.realpathSync(home), 'Pictures/a.png')]);
    expect(sent).toHaveLength(2);
  });

  test.each([{ actionUrl: 'javascript:1' }, { actionUrl: 'file:///etc/passwd' }, { actionPath: '/etc/passwd' }])(
    'never opens %p, and such a notification is refused',
    async (wanted) => {
      const { ask, notified } = desktop();
      await expect(ask({ title: 'a', ...wanted })).rejects.toMatchObject({ code: 'forbidden', subtype: 'BAD_PATH' });
      expect(notified).toEqual([]);
    },
  );

  test.skipIf(lacks('modes'))('a path that became a program meanwhile is not opened', async () => {
    const { ask, say, opened } = desktop();
    const file = path.join(home, 'Pictures', 'later.txt');
    fs.writeFileSync(file, '');
    await ask({ title: 'a', actionPath: file });
    fs.chmodSync(file, 0o755);
    await say('ActionInvoked', 1, 'default');
    expect(opened).toEqual([]);
  });
});

describe('pictures of a notification', () => {
  test('in the request are stored in a private file until it is closed', async () => {
    const { ask, notified, say, scratch } = desktop();
    await ask({ title: 'a', icon: dataUrl, image: dataUrl });
    const [icon, hints] = [String(notified[0]?.[2]), notified[0]?.[6] as Record<string, string>];
    expect(fs.readFileSync(icon).equals(png)).toBe(true);
    if (!lacks('modes')) {
      expect(fs.statSync(icon).mode & 0o777).toBe(0o600);
      expect(fs.statSync(path.dirname(icon)).mode & 0o777).toBe(0o700);
    }
    expect(left()).toContain(path.basename(hints['image-path'] ?? ''));
    await say('NotificationClosed', 1, 1);
    expect(left()).toEqual([]);
    scratch?.close();
  });

  test.each(['https://example.test/a.png', 'file:///etc/a.png', 'mdi:home'])(
    'that would have to be fetched (%s) are left out, and the text is shown',
    async (address) => {
      const { ask, notified } = desktop();
      const shown = await ask({ title: 'a', icon: address, image: address, sound: address });
      expect(shown.message).toContain('icon was left out: addresses are not fetched');
      expect(shown.message).toContain('sound was left out');
      expect(notified).toEqual([['Hostler', 0, '', 'a', '', [], {}, -1]]);
    },
  );

  test('of known directories are passed by path', async () => {
    const { ask, notified } = desktop();
    await ask({ title: 'a', icon: '~/Pictures/a.png' });
    expect(notified[0]?.[2]).toBe(path.join(fs.realpathSync(home), 'Pictures/a.png'));
  });

  test.each([
    ['../a.png', 'must be a name in the theme'],
    ['a b', 'must be a name in the theme'],
    ['/etc/passwd', 'not in any of the known'],
    ['~/Pictures/a.txt', 'must be a picture'],
    ['~/Pictures', 'must be a picture'],
    ['data:text/html;base64,AAAA', 'must be a data URL'],
    ['data:image/png,AAAA', 'must be a data URL'],
    ['data:image/svg+xml;base64,AAAA', 'must be a data URL'],
    ['data:image/png;base64,AAAA', 'does not contain'],
    [`data:image/png;base64,${png.toString('base64')}${'A'.repeat(720_000)}`, 'larger than 512 KiB'],
  ])('%.40p is refused', async (icon, why) => {
    const { ask, notified } = desktop();
    await expect(ask({ title: 'a', icon })).rejects.toThrow(why);
    expect(notified).toEqual([]);
    expect(left()).toEqual([]);
  });
});

describe('a caller with the scope notify alone', () => {
  const answer = async (wanted: Record<string, unknown>, programs?: string[]) => {
    const { context, notified } = desktop(programs === undefined ? {} : { programs });
    const caller = { ...context.caller, scopes: new Set(['notify'] as const) };
    const input = (await send.input()).parse({ title: 'a', ...wanted });
    return { answered: await send.run(input, { ...context, caller }), notified: notified[0] };
  };

  test.each(['icon', 'image', 'sound', 'actionPath'])('does not learn by %s which files exist', async (field) => {
    fs.writeFileSync(path.join(home, 'Pictures', 'a.wav'), '');
    const there = field === 'sound' ? '~/Pictures/a.wav' : '~/Pictures/a.png';
    const elsewhere = ['~/Pictures/none.png', '~/none/a.wav', '~/Pictures', '~/Pictures/a.txt', '/etc/passwd', '/none'];
    for (const programs of [undefined, []]) {
      const { answered } = await answer({ [field]: there }, programs);
      for (const file of elsewhere) expect((await answer({ [field]: file }, programs)).answered).toEqual(answered);
    }
  });

  test('sees its pictures shown, and none of another place', async () => {
    const { notified } = await answer({ icon: '~/Pictures/a.png' });
    expect(notified?.[2]).toBe(path.join(fs.realpathSync(home), 'Pictures/a.png'));
    const wrong = await answer({ icon: '/etc/passwd', image: '~/Pictures/a.txt', sound: '/etc/passwd' });
    expect(wrong.notified).toEqual(['Hostler', 0, '', 'a', '', [], {}, -1]);
  });

  test('still learns that an address is never opened', async () => {
    await expect(answer({ actionUrl: 'file:///etc/passwd' })).rejects.toMatchObject({ code: 'forbidden' });
  });
});

describe('sounds of a notification', () => {
  test('are played by a desktop that can', async () => {
    const { ask, notified, played } = desktop({ can: ['sound'] });
    await ask({ title: 'a', sound: 'message-new' });
    await ask({ title: 'a', sound: '~/Pictures/a.wav' });
    const file = path.join(fs.realpathSync(home), 'Pictures/a.wav');
    expect(notified.map((body) => body[6])).toEqual([{ 'sound-name': 'message-new' }, { 'sound-file': file }]);
    expect(played).toEqual([]);
  });

  test('with a volume are played here, once', async () => {
    const { ask, notified, played } = desktop({ can: ['sound'] });
    await ask({ title: 'a', sound: 'other', audio: { source: '~/Pictures/a.wav', volume: 50 } });
    expect(notified[0]?.[6]).toEqual({ 'suppress-sound': true });
    const file = path.join(fs.realpathSync(home), 'Pictures/a.wav');
    expect(played).toEqual([['/usr/bin/pw-play', '--volume=0.1250', file]]);
  });

  test('by name are found in the theme where the desktop cannot play them', async () => {
    const { ask, played } = desktop({ programs: ['paplay'] });
    await ask({ title: 'a', sound: 'message-new-instant' });
    const file = path.join(home, '.local/share/sounds/freedesktop/stereo/message-new.oga');
    expect(played).toEqual([['/usr/bin/paplay', '--volume=65536', file]]);
  });

  test.each(['its token is revoked', 'control is paused'])('end when %s', async (why) => {
    const changed = createListeners();
    const controlPause = createControlPause(
      fakeHost({ storage: memoryStorage(), paths: { config: home, state: home, runtime: home } }),
      { warn() {} },
    );
    let isAdmitted = true;
    const { ask, played, ended } = desktop({
      given: { controlPause, admits: () => isAdmitted, onTokensChange: changed.add },
      whilePlaying: new Promise(() => {}),
    });
    await ask({ title: 'a', sound: 'message-new' });
    await until(() => played.length > 0, 'the player has begun');
    changed.announce();
    expect(ended).toEqual([]);
    if (why === 'control is paused') controlPause.pause(null, 'phone');
    isAdmitted = why === 'control is paused';
    changed.announce();
    expect(ended).toEqual(['/usr/bin/pw-play']);
  });

  test('that cannot be played do not prevent the notification', async () => {
    const none = await desktop({ programs: [] }).ask({ title: 'a', sound: 'message-new' });
    expect(none?.message).toContain('no pw-play or paplay');
    expect((await desktop().ask({ title: 'a', sound: 'nothing' }))?.message).toContain('no sound theme has "nothing"');
  });
});

describe('one token', () => {
  test('sends a limited number of notifications, and other tokens have their own limit', async () => {
    const { ask, context, notified } = desktop();
    for (let count = 0; count < 30; count++) await ask({ title: 'a' });
    await expect(ask({ title: 'a' })).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 1 });
    await send.run({ title: 'a' }, { ...context, caller: { ...context.caller, tokenId: 'other' } });
    expect(notified).toHaveLength(31);
  });

  test('has the limits of one token in all its browser sessions', async () => {
    const { context, notified, withdrawn } = desktop();
    const ask = (tokenId: string) =>
      send.run({ title: 'a' }, { ...context, caller: { ...context.caller, tokenId, shareId: 'one' } });
    for (let count = 0; count < 30; count++) await ask(`browser-${count}`);
    expect(withdrawn).toHaveLength(10);
    await expect(ask('browser-30')).rejects.toMatchObject({ code: 'rate_limited' });
    expect(notified).toHaveLength(30);
  });

  test('has at most 20 on the screen: the oldest ones are closed, also where the desktop does not report that', async () => {
    const { ask, withdrawn, scratch } = desktop();
    for (let count = 0; count < 23; count++) await ask({ title: 'a', icon: dataUrl });
    expect(withdrawn).toEqual([1, 2, 3]);
    expect(left()).toHaveLength(20);
    scratch?.close();
  });

  test('has at most 4 MiB of pictures on the screen', async () => {
    const { ask, withdrawn, scratch } = desktop();
    const icon = `data:image/png;base64,${Buffer.concat([png, Buffer.alloc(500_000)]).toString('base64')}`;
    for (let count = 0; count < 10; count++) await ask({ title: 'a', icon });
    expect(withdrawn).toEqual([1, 2]);
    expect(left()).toHaveLength(8);
    scratch?.close();
  });

  test('does not hold its requests, with their pictures, in memory while they are shown', async () => {
    const { context, notified } = desktop();
    const requests: WeakRef<object>[] = [];
    const request = async () => {
      const input = { title: 'a', message: 'b', actionUrl: 'https://example.test/' };
      requests.push(new WeakRef(input));
      await send.run(input, context);
    };
    for (let count = 0; count < 20; count++) await request();
    await new Promise((resolve) => setTimeout(resolve, 5));
    Bun.gc(true);
    expect(notified).toHaveLength(20);
    // The collector may find a few on the stack.
    expect(requests.filter((held) => held.deref() !== undefined).length).toBeLessThan(5);
  });

  test('has its notifications closed when it is revoked', async () => {
    const revoked = new Set<string>();
    const following = new Set<() => void>();
    const { context, withdrawn, say } = desktop({
      given: {
        admits: ({ tokenId }) => !revoked.has(tokenId),
        onTokensChange(changed) {
          following.add(changed);
          return () => void following.delete(changed);
        },
      },
    });
    for (const tokenId of ['a', 'b', 'a'])
      await send.run({ title: 'x' }, { ...context, caller: { ...context.caller, tokenId } });
    revoked.add('a');
    for (const changed of following) changed();
    expect(withdrawn).toEqual([1, 3]);
    await say('NotificationClosed', 2, 2);
    expect(following.size).toBe(0);
  });

  test('plays two sounds at once; further ones are dropped, and the response says so', async () => {
    const playing = Promise.withResolvers<void>();
    const { ask, played } = desktop({ whilePlaying: playing.promise });
    const messages: string[] = [];
    for (let count = 0; count < 4; count++) messages.push((await ask({ title: 'a', sound: 'message-new' })).message);
    const dropped = 'The notification is shown, but its sound could not be played: too many sounds are being played';
    expect(messages.slice(2)).toEqual([dropped, dropped]);
    expect(played).toHaveLength(2);
    playing.resolve();
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect((await ask({ title: 'a', sound: 'message-new' })).message).toBe('The notification is shown');
  });
});

describe('a notification with an id', () => {
  test('is replaced, and its files with it', async () => {
    const { ask, notified, scratch } = desktop();
    await ask({ title: 'a', icon: dataUrl });
    expect((await ask({ title: 'b', replaces: 1 }))?.data.id).toBe(1);
    expect(left()).toEqual([]);
    expect(notified).toHaveLength(1);
    scratch?.close();
  });

  test('is closed', async () => {
    const { ask, context, withdrawn } = desktop();
    await ask({ title: 'a' });
    expect((await close.run({ id: 1 }, context)).data).toEqual({ id: 1 });
    expect(withdrawn).toEqual([1]);
    await expect(close.run({ id: 1 }, context)).rejects.toMatchObject({ code: 'not_found' });
  });

  test('of another program is neither replaced nor closed', async () => {
    const { ask, context, withdrawn } = desktop();
    await expect(ask({ title: 'a', replaces: 5 })).rejects.toMatchObject({ code: 'not_found' });
    await expect(close.run({ id: 5 }, context)).rejects.toMatchObject({ code: 'not_found' });
    expect(withdrawn).toEqual([]);
  });
});

test('of another token is neither replaced nor closed, and stays unchanged', async () => {
  const { ask, context, withdrawn, notified } = desktop();
  await ask({ title: 'a' });
  const otherCaller = { ...context, caller: { ...context.caller, tokenId: 'other', tokenName: 'other' } };
  const replacing = send.run({ title: 'b', replaces: 1 }, otherCaller);
  await expect(replacing).rejects.toMatchObject({ code: 'not_found' });
  await expect(close.run({ id: 1 }, otherCaller)).rejects.toMatchObject({ code: 'not_found' });
  expect({ withdrawn, notified: notified.length }).toEqual({ withdrawn: [], notified: 1 });
  await close.run({ id: 1 }, context);
  expect(withdrawn).toEqual([1]);
});

test('waiting for a button ends with the connection', async () => {
  const { context } = desktop();
  const connection = new AbortController();
  const waiting = send.run({ title: 'a', wait: 120 }, { ...context, signal: connection.signal });
  await new Promise((resolve) => setTimeout(resolve, 10));
  connection.abort();
  expect((await waiting).data.pressed).toBeNull();
});

describe('without a desktop', () => {
  const failing = (error: BusError): Bus => ({ ...noBus, call: () => Promise.reject(error) });
  test.each([
    [noBus, 'There is no desktop session'],
    [
      failing(new BusError('org.freedesktop.DBus.Error.ServiceUnknown', 'x')),
      'No notification server is running in this session',
    ],
    [failing(new BusError('Client.Timeout', 'x')), 'did not accept a notification within 2 s'],
  ])('the error says what is missing', async (session, sentence) => {
    const { context } = fakeActionContext(fakeHost({ dbus: { system: noBus, session } }));
    await expect(send.run({ title: 'a' }, context)).rejects.toMatchObject({
      code: 'unsupported',
      message: expect.stringContaining(sentence),
    });
    expect(await send.unavailable(context)).toContain(sentence);
  });
});

describe('a notification of an agent', () => {
  const sent = async (input: Record<string, unknown>) => {
    const { context, notified } = desktop();
    const caller = { ...context.caller, tokenName: 'mcp-bridge', isAgent: true };
    await send.run((await send.input()).parse(input), { ...context, caller });
    const [app, , , title, body, buttons] = notified[0] ?? [];
    return { app, title, body, buttons };
  };

  test('names the agent', async () => {
    const actions = [{ command: 'Yes', label: 'Yes' }];
    expect(await sent({ title: 'Done', message: 'one\ntwo', actions })).toEqual({
      app: 'Hostler agent',
      title: 'Agent "mcp-bridge": Done',
      body: 'one\ntwo',
      buttons: ['default', 'Open', 'button-1', 'Reply: Yes'],
    });
  });

  test.each([
    ['a title with a right-to-left override', '\u202efoo', 'Agent "mcp-bridge": foo'],
    [
      'a title of many lines',
      '\n\n\n"main" asks for run_command\u2028',
      'Agent "mcp-bridge": "main" asks for run_command',
    ],
    ['a title that erases', '\u0008\u001b[2K\u200b', 'Agent "mcp-bridge": [2K'],
    ['a title of marks', `\u20dd\u0336x${'\u0301'.repeat(9)}`, `Agent "mcp-bridge": x\u0301\u0301\u0301\u0301`],
    ['a decomposed title', 'cafe\u0301', 'Agent "mcp-bridge": caf\u00e9'],
  ])('%s does not hide the agent', async (_name, title, expected) => {
    expect((await sent({ title })).title).toBe(expected);
  });

  test.each([
    ...[
      'Allow',
      'deny',
      ' ALLOW ',
      '✓ Allow!',
      'A\u200bllow',
      'Аllоw',
      'Ａｌｌｏｗ',
      'A11ow',
      'Dény',
      '𝐀𝐥𝐥𝐨𝐰',
      'A l l o w',
    ],
    ...['ᴀllow', 'Aꓡꓡow', 'ᴀʟʟᴏᴡ', 'ᴅᴇɴʏ', 'AIIow', 'A‖ow', 'Ałłøw', 'ꓓꓰꓠꓬ', 'ＤＥＮＹ'],
    ...['Allow once', 'Allow\u00a0once', 'Allow\u2800once', 'Allow\u3164once', 'A\u034fllow\u2003once', 'ᴀllow always'],
  ])('cannot have the button %j', async (label) => {
    const actions = [{ command: label, label }];
    await expect(sent({ title: 'Update?', actions })).rejects.toThrow('cannot be labelled Allow or Deny');
  });

  test.each(['Later', 'Allowance', 'Denys', 'Später', '後で', 'Да', 'Alloy'])(
    'can have the button %j',
    async (label) => {
      await sent({ title: 'Update?', actions: [{ command: label, label }] });
    },
  );

  test('has rules that do not apply to other clients', async () => {
    const { ask, notified } = desktop();
    await ask({ title: 'Door', actions: [{ command: 'open', label: 'Allow' }] });
    expect([notified[0]?.[0], notified[0]?.[3], notified[0]?.[5]]).toEqual([
      'Hostler',
      'Door',
      ['default', 'Open', 'button-1', 'Allow'],
    ]);
  });
});
