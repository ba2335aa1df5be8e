import { expect, test } from 'bun:test';
import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import { fakeActionContext, fakeBus, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { until } from '../../../test/harness/until.ts';
import type { ActionContext } from '../../core/action.ts';
import { createControlPause, pauseOf } from '../../core/control-pause.ts';
import { defaultSettings } from '../index.ts';
import { createCaptures } from './screen.capture-queue.ts';
import type { ScreenCamera } from './screen.contract.ts';
import { screenCapture } from './screen.ts';

const allowing = () => ({ ...defaultSettings, screen: { allowed: true, askForAgents: true } });
const noDesktop = { find: async () => ({ variables: {}, wayland: null, x11: null }), watch: () => () => {} };

function machine(given: { session?: Bus } = {}) {
  const storage = memoryStorage();
  const paths = { state: '/state', config: '/config', runtime: '/run' } as never;
  const host = fakeHost({
    session: noDesktop,
    storage,
    paths,
    ...(given.session && { dbus: { session: given.session, system: given.session } }),
  });
  const warned: string[] = [];
  const audit = (name = 'screen.log') =>
    (storage.contents.get(`/state/${name}`) ?? '')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  const context = (more: Partial<ActionContext> = {}) => {
    const made = fakeActionContext(host, { settings: allowing, ...more });
    made.context.log.warn = (line: string) => void warned.push(line);
    return made;
  };
  return { host, storage, warned, audit, context };
}

test('without permission in the settings it is refused with the way to allow it, and no picture is taken', async () => {
  const { context } = fakeActionContext(fakeHost());
  await expect(screenCapture.run({}, context)).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(
      /not allowed on this machine\..* there with "hostler.* settings set screen\.allowed true"$/,
    ),
  });
  expect(await screenCapture.unavailable(context)).toContain('not allowed on this machine');
});

test.each(['png', 'webp'] as const)('%s has its media type, which the action declares', (format) => {
  const data = { format, display: null, width: 1, height: 1, size: 1, picture: '' };
  const { types = [], typeOf } = screenCapture.picture ?? {};
  expect(typeOf?.(data)).toBe(`image/${format}`);
  expect(types).toContain(`image/${format}`);
});

test('without a desktop the action is unavailable, and the attempt is recorded', async () => {
  const { context, audit } = machine();
  const { context: actionContext } = context();
  const sentence = 'No desktop of this user is running, so there is no screen to take a picture of';
  expect(await screenCapture.unavailable(actionContext)).toBe(sentence);
  await expect(screenCapture.run({ display: 'DP-1' }, actionContext)).rejects.toMatchObject({
    code: 'unsupported',
    message: sentence,
  });
  expect(audit('screen-failures.log')).toEqual([
    { time: expect.any(String), token: 'main', address: '127.0.0.1', what: 'DP-1', outcome: sentence },
  ]);
});

test('failures do not push pictures out of the record', async () => {
  const { context, audit, host } = machine();
  const { context: actionContext } = context();
  actionContext.keep(createCaptures).note(actionContext.caller, 'DP-1');
  for (let time = 0; time < 50; time += 1) {
    await screenCapture.run({ display: 'x'.repeat(1000) }, actionContext).catch(() => {});
    host.clock.advance(500);
  }
  expect(audit()).toMatchObject([{ what: 'DP-1', outcome: 'taken' }]);
  expect(audit('screen-failures.log')).toHaveLength(50);
});

test('a picture that cannot be recorded is not sent', async () => {
  const { context, audit, storage } = machine();
  const { context: actionContext } = context();
  const captures = actionContext.keep(createCaptures);
  const taken = { format: 'png', display: 'DP-1', bytes: new Uint8Array(1), width: 1, height: 1 } as const;
  captures.queue.run = async () => taken;
  expect((await screenCapture.run({}, actionContext)).data.size).toBe(1);
  expect(audit()[0]).toMatchObject({ what: 'DP-1', outcome: 'taken' });
  storage.append = () => {
    throw new Error('No space left on device');
  };
  await expect(screenCapture.run({}, actionContext)).rejects.toMatchObject({
    code: 'failed',
    message: expect.stringContaining('cannot be recorded'),
  });
});

test('while control is paused no picture is taken, not even a queued one', async () => {
  const { host, context } = machine();
  const { context: actionContext } = context();
  const controlPause = createControlPause(host, actionContext.log);
  controlPause.pause(null, 'phone');
  expect(pauseOf(controlPause, screenCapture)).toContain('Control is paused');
  await expect(screenCapture.run({}, { ...actionContext, controlPause })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('Control is paused'),
  });
});

test('the rate limit is a burst of five and then two a second, per token', async () => {
  const { context, host } = machine();
  const { context: actionContext } = context();
  const outcomes = await Promise.all(
    Array.from({ length: 7 }, (_, index) =>
      screenCapture.run({ max_width: 100 + index }, actionContext).catch(({ code }) => code),
    ),
  );
  expect(outcomes.filter((code) => code === 'rate_limited')).not.toHaveLength(0);
  expect(await screenCapture.run({}, actionContext).catch(({ code }) => code)).toBe('rate_limited');
  const other = { ...actionContext, caller: { ...actionContext.caller, tokenId: 'other' } };
  expect(await screenCapture.run({}, other).catch(({ code }) => code)).toBe('unsupported');
  host.clock.advance(500);
  expect(await screenCapture.run({}, actionContext).catch(({ code }) => code)).toBe('unsupported');
});

test.each([
  ['an unknown field', { screen: 1 }],
  ['a display and a window', { display: 'DP-1', window: 'active' }],
  ['no width', { max_width: 0 }],
  ['an absurd width', { max_width: 1e9 }],
  ['an unknown format', { format: 'exe' }],
  ['a name of 10,000 characters', { display: 'x'.repeat(10_000) }],
  ['any window', { window: '0x1400003' }],
])('%s is refused by the schema', async (_what, input) => {
  expect((await screenCapture.input()).safeParse(input).success).toBe(false);
});

const flush = async () => {
  for (let round = 0; round < 5; round += 1) await Promise.resolve();
};

test('the user at the screen is notified immediately, and several pictures in a row share a notice', async () => {
  const { host, context } = machine();
  const { context: actionContext, close } = context();
  const notices: string[] = [];
  const camera = { notify: async (_title: string, text: string) => void notices.push(text) } as unknown as ScreenCamera;
  const captures = actionContext.keep(createCaptures);
  for (let time = 0; time < 4; time += 1) captures.notify(camera, actionContext.caller);
  captures.notify(camera, { ...actionContext.caller, tokenName: 'x\u202e"y"\n', isAgent: true });
  expect(notices).toEqual(['"main" took a picture of this screen']);
  host.clock.advance(10_000);
  expect(notices[1]).toBe('"main", An agent with the token "x\\"y\\"\ufffd" took 4 more pictures of this screen');
  host.clock.advance(60_000);
  captures.notify(camera, actionContext.caller);
  expect(notices).toHaveLength(3);
  await close();
  expect(notices).toHaveLength(3);
});

test('a notice that cannot be shown is recorded each time and logged once', async () => {
  const { host, context, audit, warned } = machine();
  const { context: actionContext } = context();
  const camera = {
    notify: async () => {
      throw new Error('there is no desktop here that shows notifications');
    },
  } as unknown as ScreenCamera;
  const captures = actionContext.keep(createCaptures);
  for (let time = 0; time < 2; time += 1) {
    captures.notify(camera, actionContext.caller);
    await flush();
    host.clock.advance(20_000);
  }
  expect(audit()).toMatchObject([
    { undelivered: expect.any(String), reason: expect.stringContaining('no desktop here') },
    {},
  ]);
  expect(warned).toEqual([expect.stringContaining('the notice could not be shown: there is no desktop')]);
});

const notify = 'org.freedesktop.Notifications.Notify';
/** As dunst is. */
const daemon = (paused: boolean) =>
  fakeBus({
    'org.freedesktop.Notifications.GetCapabilities': () => [['body', 'body-markup']],
    'org.freedesktop.Notifications.GetServerInformation': () => ['dunst', 'knopwob', '1.9', '1.2'],
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.Properties.Get': () => [paused],
    [notify]: () => [1],
  });

test('a notice on the bus has the name as plain text and does not expire', async () => {
  const session = daemon(false);
  const { host } = machine({ session });
  const { screenLinux } = await import('./screen.linux.ts');
  await screenLinux(host).notify('Picture of the screen', '"<b>" took a picture of this screen');
  const [, , icon, title, body, , hints] = session.calls.find(({ member }) => member === 'Notify')?.body ?? [];
  expect([icon, title, body, hints]).toEqual([
    'camera-photo',
    'Picture of the screen',
    '"&lt;b&gt;" took a picture of this screen',
    { urgency: variant('y', 2) },
  ]);
});

test('with do not disturb the notice is sent and recorded as undelivered', async () => {
  const session = daemon(true);
  const { host, context, audit } = machine({ session });
  const { context: actionContext } = context();
  const { screenLinux } = await import('./screen.linux.ts');
  actionContext.keep(createCaptures).notify(screenLinux(host), actionContext.caller);
  await until(() => audit().length > 0, 'the record says so');
  expect(session.calls.some(({ member }) => member === 'Notify')).toBeTrue();
  expect(audit()).toMatchObject([
    { undelivered: '"main" took a picture of this screen', reason: expect.stringContaining('do not disturb is on') },
  ]);
});
