import { expect, test } from 'bun:test';
import type { Signal } from '@hostler/dbus/dbus.ts';
import { fakeCompositor } from '../../../test/doubles/fake-compositor.ts';
import {
  fakeActionContext,
  fakeBus,
  fakeClock,
  fakeContext,
  fakeHost,
  memoryStorage,
  noBus,
} from '../../../test/doubles/fake-host.ts';
import { until } from '../../../test/harness/until.ts';
import type { ActionContext } from '../../core/action.ts';
import { createControlPause } from '../../core/control-pause.ts';
import { createOpenPrompts } from '../../core/prompts/open-prompt.ts';
import type { DesktopSession, FoundSession } from '../../host/linux/desktop/desktop-session.ts';
import { type PlacedDisplay, pointerTarget } from './pointer.position.ts';
import { createPointerQueue } from './pointer.queue.ts';
import { pointerClickInputSchema, pointerMoveInputSchema, pointerScrollInputSchema } from './pointer.schema.ts';
import { pointerActions } from './pointer.ts';

const [move, click] = pointerActions;
const sessionWith = (found: Partial<FoundSession>): DesktopSession => ({
  find: async () => ({ variables: {}, wayland: null, x11: null, ...found }),
  watch: () => () => {},
});
const parts = {
  storage: memoryStorage(),
  dbus: { system: noBus, session: noBus },
  paths: { config: '/c', state: '/s', runtime: null },
};

test('without a desktop session the error names the missing session', async () => {
  const { context } = fakeActionContext(fakeHost({ ...parts, session: sessionWith({}) }));
  const sentence = expect.stringContaining('no desktop session of this user is running');
  await expect(move.run({ x: 1, y: 1 }, context)).rejects.toMatchObject({ code: 'unsupported', message: sentence });
  await expect(click.run({}, context)).rejects.toMatchObject({ code: 'unsupported' });
  expect(await move.unavailable(context)).toEqual(sentence);
});

test('with a session but no backend the error lists every backend', async () => {
  const session = sessionWith({ wayland: '/nonexistent/wayland-0' });
  const { context } = fakeActionContext(fakeHost({ ...parts, session }));
  const reason = await move.unavailable(context);
  for (const way of ['virtual-pointer-v1', "GNOME's remote desktop", 'portal', 'uinput']) expect(reason).toContain(way);
});

test.each([
  {},
  { x: 1 },
  { y: 1 },
  { x: 1, y: 1, dx: 1 },
  { display: 'DP-1' },
  { display: 'DP-1', dx: 1 },
  { x: Number.NaN, y: 1 },
  { x: 1e308, y: 1 },
  { x: Number.POSITIVE_INFINITY, y: 1 },
  { x: '1', y: 1 },
  { dx: 10_001 },
  { x: 1, y: 1, z: 1 },
  { x: 1, y: 1, display: '' },
])('a move by %p is refused', (input) => {
  expect(pointerMoveInputSchema.safeParse(input).success).toBeFalse();
});

test.each([{ x: 0, y: 0 }, { x: -5, y: 2.5 }, { x: 1, y: 1, display: 'DP-1', dx: null }, { dx: 3 }, { dy: -3 }])(
  'a move by %p is accepted',
  (input) => {
    expect(pointerMoveInputSchema.safeParse(input).error).toBeUndefined();
  },
);

test('invalid clicks and steps are refused', () => {
  for (const input of [{ button: 'fourth' }, { count: 0 }, { count: 4 }, { count: 1.5 }, { x: 1 }, { display: 'a' }])
    expect(pointerClickInputSchema.safeParse(input).success).toBeFalse();
  for (const input of [{}, { dx: 0.5 }, { dy: 101 }, { dy: Number.NaN }, { dy: -1e308 }, { dy: null }])
    expect(pointerScrollInputSchema.safeParse(input).success).toBeFalse();
  expect(pointerClickInputSchema.safeParse({}).success).toBeTrue();
});

const one: PlacedDisplay = { id: 'DP-1', x: 0, y: 0, width: 1920, height: 1080, pixelWidth: 1920, pixelHeight: 1080 };
/** Scaled: it shows 1920 × 1080 of the desktop with twice as many pixels. */
const two: PlacedDisplay = { ...one, id: 'DP-2', x: 1920, y: -100, pixelWidth: 3840, pixelHeight: 2160 };

test('a position is a pixel of the display that shows it', () => {
  const at = (x: number, y: number, display: string | null = null) => {
    const found = pointerTarget('pointer.move', [one, two], { x, y, display });
    return [found.display.id, found.x, found.y];
  };
  expect(at(1919, 0)).toEqual(['DP-1', 1919, 0]);
  expect(at(1920, 0)).toEqual(['DP-2', 0, 200]);
  expect(at(3839, 979)).toEqual(['DP-2', 3838, 2158]);
  expect(at(3839, 2159, 'DP-2')).toEqual(['DP-2', 3839, 2159]);
  expect(() => at(1919, -1)).toThrow('pointer.move: no display shows 1919, -1; displays: DP-1 (0, 0 to 1920, 1080)');
  expect(() => at(0, 1080, 'DP-1')).toThrow('0, 1080 is not on DP-1, which has 1920 × 1080 pixels');
  expect(() => at(-1, 0, 'DP-1')).toThrow('is not on DP-1');
  expect(() => at(0, 0, 'DP-9')).toThrow('There is no display "DP-9"; connected: DP-1, DP-2');
  expect(() => pointerTarget('pointer.move', [], { x: 0, y: 0, display: null })).toThrow('There is no display');
});

test('requests run one after the other, one caller cannot block the others, and the queue is bounded', async () => {
  const queue = createPointerQueue(fakeActionContext(fakeHost()).context);
  const release = Promise.withResolvers<void>();
  const { signal } = new AbortController();
  const done: string[] = [];
  const ask = (tokenId: string, order = signal) =>
    queue
      .take({ tokenId, signal: order }, async () => {
        await release.promise;
        done.push(tokenId);
      })
      .catch((error: { code?: string; message: string }) => error.code ?? error.message);
  const greedy = Array.from({ length: 60 }, () => ask('a'));
  const gone = new AbortController();
  const left = ask('b', gone.signal);
  const other = ask('b');
  gone.abort(new Error('gone'));
  release.resolve();
  expect((await Promise.all(greedy)).filter((code) => code === 'rate_limited')).toHaveLength(10);
  expect(await left).toBe('gone');
  await other;
  expect(done).toEqual([...Array.from({ length: 50 }, () => 'a'), 'b']);
  await queue.close();
  expect(await ask('a')).toBe('failed');
});

/** Two clicks: the first one runs, and `happens` takes place before the second. */
async function secondClick(happens: (context: ActionContext) => Partial<ActionContext> & { begin(): void }) {
  const found = Promise.withResolvers<FoundSession>();
  let searches = 0;
  const find = (afresh = false) => {
    if (!afresh) searches += 1;
    return found.promise;
  };
  const host = fakeHost({ ...parts, storage: memoryStorage(), session: { find, watch: () => () => {} } });
  const { begin, ...given } = happens(fakeActionContext(host).context);
  const { context } = fakeActionContext(host, given);
  const first = click.run({}, context).catch(({ code }) => code);
  const waiting = click.run({}, context).catch((error) => error);
  await until(() => searches === 1, 'the first one to run');
  begin();
  found.resolve({ variables: {}, wayland: null, x11: null });
  expect(await first).toBe('unsupported');
  const outcome = await waiting;
  expect(searches).toBe(1);
  return outcome;
}

test('a queued click is not carried out after control was paused', async () => {
  const outcome = await secondClick(({ host, log }) => {
    const controlPause = createControlPause(host, log);
    return { controlPause, begin: () => void controlPause.pause(null, 'phone') };
  });
  expect(outcome).toMatchObject({ code: 'conflict', message: expect.stringContaining('Control is paused') });
});

test('a pause stops the running and all queued requests, even if control is resumed at once', async () => {
  const { context } = fakeActionContext(fakeHost(parts));
  const controlPause = createControlPause(context.host, context.log);
  const queue = createPointerQueue({ ...context, controlPause });
  const wanted = { tokenId: 'a', signal: context.signal };
  const begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  let clicks = 0;
  const running = queue.take(wanted, async (signal) => {
    begun.resolve();
    await release.promise;
    signal.throwIfAborted();
    clicks += 1;
  });
  const waiting = queue.take(wanted, async () => {
    clicks += 1;
  });
  await begun.promise;
  controlPause.pause(null, 'phone');
  controlPause.resume();
  release.resolve();
  for (const outcome of await Promise.allSettled([running, waiting]))
    expect(String(outcome.status === 'rejected' && outcome.reason)).toContain('Control was paused');
  expect(clicks).toBe(0);
  await queue.take(wanted, async () => {
    clicks += 1;
  });
  expect(clicks).toBe(1);
});

test('while a permission prompt is open nothing is clicked, queued clicks included', async () => {
  const answered = new AbortController();
  const prompts = createOpenPrompts(
    (_prompt, signal) => new Promise((resolve) => signal.addEventListener('abort', () => resolve('denied'))),
    { clock: fakeClock(), log: fakeContext().log },
  );
  let asking: Promise<unknown> = Promise.resolve();
  const begin = () => {
    asking = prompts.ask({ title: 'May this device be paired?', text: '' }, answered.signal);
  };
  const outcome = await secondClick(() => ({ prompts, begin }));
  expect(outcome).toMatchObject({
    code: 'conflict',
    message: expect.stringContaining('A permission prompt of Hostler is open'),
  });
  answered.abort();
  await asking;
  const { context } = fakeActionContext(fakeHost({ ...parts, session: sessionWith({}) }), { prompts });
  expect(await click.run({}, context).catch(({ code }) => code)).toBe('unsupported');
});

test('after a refusal at the portal queued clicks are refused, and the user is not asked again at once', async () => {
  const own = 'org.freedesktop.portal.RemoteDesktop';
  const request = '/org/freedesktop/portal/desktop/request/1_1/t';
  const asked: string[] = [];
  let emit: (signal: Signal) => void = () => {};
  const answering = (name: string, code: number) => ({
    [name]: ({ member }: { member: string }) => {
      asked.push(member);
      emit({ path: request, body: [code, { session_handle: '/session/1' }] } as unknown as Signal);
      return [request];
    },
  });
  const session = fakeBus({
    'org.freedesktop.DBus.NameHasOwner': () => [true],
    'org.freedesktop.DBus.Properties.Get': () => [2],
    ...answering(`${own}.CreateSession`, 0),
    ...answering(`${own}.SelectDevices`, 0),
    ...answering('org.freedesktop.portal.ScreenCast.SelectSources', 0),
    ...answering(`${own}.Start`, 1),
    'org.freedesktop.portal.Session.Close': () => [],
  });
  session.subscribe = async ({ member }, listener) => {
    if (member === 'Response') emit = listener;
    return () => {};
  };
  const host = fakeHost({
    ...parts,
    dbus: { session, system: session },
    connectLocal: fakeCompositor(['wl_seat']).connectLocal,
    session: sessionWith({ wayland: '/run/wayland-0' }),
  });
  const { context } = fakeActionContext(host);
  const clicks = Array.from({ length: 3 }, () => click.run({}, context).catch((error) => error));
  const [first, ...others] = await Promise.all(clicks);
  expect(first).toMatchObject({ code: 'failed', message: expect.stringContaining('the user does not allow it') });
  for (const other of others) expect(other).toMatchObject({ code: 'rate_limited', retryAfterSeconds: 10 });
  expect(asked.filter((member) => member === 'Start')).toHaveLength(1);
  host.clock.advance(10_000);
  expect(await click.run({}, context).catch(({ code }) => code)).toBe('failed');
  expect(asked.filter((member) => member === 'Start')).toHaveLength(2);
});
