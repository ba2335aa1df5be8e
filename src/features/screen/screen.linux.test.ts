import { expect, test } from 'bun:test';
import { type Bus, variant } from '@hostler/dbus/dbus.ts';
import { fakeActionContext, fakeBus, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { until } from '../../../test/harness/until.ts';
import type { ActionContext } from '../../core/action.ts';
import { createControlPause, pauseOf } from '../../core/control-pause.ts';
import { defaultSettings } from '../index.ts';
import { createLooks } from './screen.capture-queue.ts';
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

test('unless it was allowed on the machine it is refused, with the way to allow it, and nothing is looked at', async () => {
  const { context } = fakeActionContext(fakeHost());
  await expect(screenCapture.run({}, context)).rejects.toMatchObject({
    code: 'forbidden',
    message: expect.stringMatching(
      /not allowed on this machine\..* there with "hostler.* settings set screen\.allowed true"$/,
    ),
  });
  expect(await screenCapture.unavailable(context)).toContain('not allowed on this machine');
});

test.each(['png', 'webp'] as const)(
  '%s is told as the media type that it has, which is one of those promised',
  (format) => {
    const data = { format, display: null, width: 1, height: 1, size: 1, picture: '' };
    const { types = [], typeOf } = screenCapture.picture ?? {};
    expect(typeOf?.(data)).toBe(`image/${format}`);
    expect(types).toContain(`image/${format}`);
  },
);

test('without a desktop it says so, before and when it is asked, and what was tried is written down', async () => {
  const { context, audit } = machine();
  const { context: asked } = context();
  const sentence = 'No desktop of this user is running, so there is no screen to take a picture of';
  expect(await screenCapture.unavailable(asked)).toBe(sentence);
  await expect(screenCapture.run({ display: 'DP-1' }, asked)).rejects.toMatchObject({
    code: 'unsupported',
    message: sentence,
  });
  expect(audit('screen-failures.log')).toEqual([
    { time: expect.any(String), token: 'main', address: '127.0.0.1', what: 'DP-1', outcome: sentence },
  ]);
});

test('pictures that fail never push those that were taken out of the record', async () => {
  const { context, audit, host } = machine();
  const { context: asked } = context();
  asked.keep(createLooks).note(asked.caller, 'DP-1');
  for (let time = 0; time < 50; time += 1) {
    await screenCapture.run({ display: 'x'.repeat(1000) }, asked).catch(() => {});
    host.clock.advance(500);
  }
  expect(audit()).toMatchObject([{ what: 'DP-1', outcome: 'taken' }]);
  expect(audit('screen-failures.log')).toHaveLength(50);
});

test('while control is paused no picture is taken, not even one that waits for its turn', async () => {
  const { host, context } = machine();
  const { context: asked } = context();
  const controlPause = createControlPause(host, asked.log);
  controlPause.pause(null, 'phone');
  expect(pauseOf(controlPause, screenCapture)).toContain('Control is paused');
  await expect(screenCapture.run({}, { ...asked, controlPause })).rejects.toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('Control is paused'),
  });
});

test('five at once and then two a second are looked at, for each token', async () => {
  const { context, host } = machine();
  const { context: asked } = context();
  const outcomes = await Promise.all(
    Array.from({ length: 7 }, (_, index) =>
      screenCapture.run({ max_width: 100 + index }, asked).catch(({ code }) => code),
    ),
  );
  expect(outcomes.filter((code) => code === 'rate_limited')).not.toHaveLength(0);
  expect(await screenCapture.run({}, asked).catch(({ code }) => code)).toBe('rate_limited');
  const other = { ...asked, caller: { ...asked.caller, tokenId: 'other' } };
  expect(await screenCapture.run({}, other).catch(({ code }) => code)).toBe('unsupported');
  host.clock.advance(500);
  expect(await screenCapture.run({}, asked).catch(({ code }) => code)).toBe('unsupported');
});

test.each([
  ['an unknown field', { screen: 1 }],
  ['a display and a window', { display: 'DP-1', window: 'active' }],
  ['no width', { max_width: 0 }],
  ['an absurd width', { max_width: 1e9 }],
  ['a format that nobody has heard of', { format: 'exe' }],
  ['a name of 10,000 characters', { display: 'x'.repeat(10_000) }],
  ['any window', { window: '0x1400003' }],
])('%s is refused by the schema', async (_what, input) => {
  expect((await screenCapture.input()).safeParse(input).success).toBe(false);
});

const flush = async () => {
  for (let turn = 0; turn < 5; turn += 1) await Promise.resolve();
};

test('whoever sits there is told at once, and of many in a row together', async () => {
  const { host, context } = machine();
  const { context: asked, close } = context();
  const told: string[] = [];
  const camera = { tell: async (_title: string, text: string) => void told.push(text) } as unknown as ScreenCamera;
  const looks = asked.keep(createLooks);
  for (let time = 0; time < 4; time += 1) looks.tell(camera, asked.caller);
  looks.tell(camera, { ...asked.caller, tokenName: 'x\u202e"y"\n', isAgent: true });
  expect(told).toEqual(['"main" took a picture of this screen']);
  host.clock.advance(10_000);
  expect(told[1]).toBe('"main", An agent with the token "x\\"y\\"\ufffd" took 4 more pictures of this screen');
  host.clock.advance(60_000);
  looks.tell(camera, asked.caller);
  expect(told).toHaveLength(3);
  await close();
  expect(told).toHaveLength(3);
});

test('where nobody can be told, the record and the log say so, the log once', async () => {
  const { host, context, audit, warned } = machine();
  const { context: asked } = context();
  const camera = {
    tell: async () => {
      throw new Error('there is no desktop here that shows notifications');
    },
  } as unknown as ScreenCamera;
  const looks = asked.keep(createLooks);
  for (let time = 0; time < 2; time += 1) {
    looks.tell(camera, asked.caller);
    await flush();
    host.clock.advance(20_000);
  }
  expect(audit()).toMatchObject([
    { untold: expect.any(String), reason: expect.stringContaining('no desktop here') },
    {},
  ]);
  expect(warned).toEqual([expect.stringContaining('nobody could be told at the screen: there is no desktop')]);
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

test('a notice is shown over the bus with the name as plain text, and stays in sight', async () => {
  const session = daemon(false);
  const { host } = machine({ session });
  const { screenLinux } = await import('./screen.linux.ts');
  await screenLinux(host).tell('Picture of the screen', '"<b>" took a picture of this screen');
  const [, , icon, title, body, , hints] = session.calls.find(({ member }) => member === 'Notify')?.body ?? [];
  expect([icon, title, body, hints]).toEqual([
    'camera-photo',
    'Picture of the screen',
    '"&lt;b&gt;" took a picture of this screen',
    { urgency: variant('y', 2) },
  ]);
});

test('while do not disturb is on the notice is sent, and the record says that it may not have been seen', async () => {
  const session = daemon(true);
  const { host, context, audit } = machine({ session });
  const { context: asked } = context();
  const { screenLinux } = await import('./screen.linux.ts');
  asked.keep(createLooks).tell(screenLinux(host), asked.caller);
  await until(() => audit().length > 0, 'the record says so');
  expect(session.calls.some(({ member }) => member === 'Notify')).toBeTrue();
  expect(audit()).toMatchObject([
    { untold: '"main" took a picture of this screen', reason: expect.stringContaining('do not disturb is on') },
  ]);
});
