import { expect, test } from 'bun:test';
import { fakeActionContext, fakeHost, memoryStorage } from '../../../test/doubles/fake-host.ts';
import type { Scope } from '../../access/scopes.ts';
import { createControlPause } from '../../core/control-pause.ts';
import type { MachineEvent } from '../../host/machine-events.ts';
import { ServiceError } from '../../lib/errors.ts';
import { readAudit } from './power.audit.ts';
import type { Notice, PowerControl } from './power.contract.ts';
import { createPower } from './power.schedule.ts';
import type { Verb } from './power.verbs.ts';

const paths = { config: '/config', state: '/state', runtime: null };
const waitingFile = '/state/power-waiting.json';

/** A machine that performs every order, with announcements from the test. */
function machine({ problem = null as ServiceError | null, storage = memoryStorage() } = {}) {
  const host = fakeHost({ storage, paths });
  const done: string[] = [];
  const notices: (Notice & { gone: boolean })[] = [];
  const said: string[] = [];
  let announce: (event: MachineEvent) => void = () => {};
  const state = { problem, failLater: (_reason: string) => {} };
  const control = (verb: Verb) => ({
    check: async () => {
      if (state.problem) throw state.problem;
    },
    perform: async ({ force }: { force: boolean }, failed: (reason: string) => void = () => {}) => {
      if (state.problem) throw state.problem;
      state.failLater = failed;
      done.push(force ? `${verb}!` : verb);
      return `did ${verb}`;
    },
  });
  const controls: PowerControl = {
    verbs: {
      sleep: control('sleep'),
      hibernate: null,
      restart: control('restart'),
      shutdown: control('shutdown'),
      lock: control('lock'),
      logout: control('logout'),
    },
    announcements: {
      follow: async (listener) => {
        announce = listener;
        return () => {};
      },
      delay: async () => () => {},
    },
    notify: async (notice) => {
      const shown = { ...notice, gone: false };
      notices.push(shown);
      return () => {
        shown.gone = true;
      };
    },
  };
  /** The scopes of the ordering token; null: it was revoked. */
  const granted: { scopes: Set<Scope> | null } = { scopes: new Set(['power', 'control']) };
  const { context } = fakeActionContext(host, {
    controlPause: createControlPause(host, { warn: () => {} }),
    admits: ({ scopes }) => granted.scopes !== null && scopes.isSubsetOf(granted.scopes),
    log: {
      debug: () => {},
      info: () => {},
      warn: (line) => void said.push(line),
      error: () => {},
      isDebug: () => false,
      setLevel: () => {},
      setFormat: () => {},
    },
  });
  const power = createPower(context, async () => controls);
  const order = (verb: Verb, input: { delay?: number; at?: string; force?: boolean } = {}) =>
    power.order(verb, input, context.caller);
  const settle = async () => {
    for (let tick = 0; tick < 20; tick++) await Promise.resolve();
  };
  return {
    host,
    storage,
    done,
    notices,
    said,
    state,
    power,
    order,
    granted,
    controlPause: context.controlPause,
    settle,
    caller: context.caller,
    cancel: (scopes?: Scope[]) =>
      power.cancel(scopes === undefined ? context.caller : { ...context.caller, scopes: new Set(scopes) }),
    async pass(seconds: number) {
      host.clock.advance(seconds * 1000);
      await settle();
    },
    announce: (event: MachineEvent) => announce(event),
    outcomes: () => readAudit(host).map(({ verb, outcome }) => `${verb}: ${outcome}`),
  };
}

test('an order without a delay is performed, and answered with its outcome', async () => {
  const { order, done, outcomes, storage, host } = machine();
  expect(await order('shutdown')).toEqual({
    message: 'did shutdown',
    data: { action: 'shutdown', at: '2026-01-01T00:00:00.000Z' },
  });
  expect(await order('lock', { delay: 0, force: true })).toMatchObject({ message: 'did lock' });
  expect(done).toEqual(['shutdown', 'lock!']);
  expect(outcomes()).toEqual(['shutdown: done: did shutdown', 'lock: done: did lock']);
  expect(readAudit(host)[0]).toMatchObject({ token: 'main', address: '127.0.0.1', time: '2026-01-01T00:00:00.000Z' });
  expect(storage.contents.has(waitingFile)).toBe(false);
});

test('an order that was accepted and not carried out is shown and noted as failed', async () => {
  const { order, state, notices, outcomes, settle } = machine();
  await order('sleep');
  state.failLater('the machine did not sleep');
  await settle();
  expect(outcomes()).toEqual(['sleep: done: did sleep', 'sleep: failed: the machine did not sleep']);
  expect(notices).toMatchObject([
    { title: 'The machine could not go to sleep', body: 'the machine did not sleep', cancel: null },
  ]);
});

test('an order that the platform does not implement is unsupported', async () => {
  const { order, outcomes } = machine();
  await expect(order('hibernate')).rejects.toMatchObject({ code: 'unsupported' });
  expect(outcomes()).toEqual(['hibernate: refused: power.hibernate is not supported on this platform yet']);
});

test('an order with a delay is checked at once, shown, saved, and performed when it is due', async () => {
  const { order, done, notices, pass, storage, settle } = machine();
  expect(await order('restart', { delay: 60 })).toMatchObject({
    data: { action: 'restart', at: '2026-01-01T00:01:00.000Z' },
  });
  await settle();
  expect(notices).toMatchObject([{ title: 'The machine will restart', gone: false }]);
  expect(notices[0]?.body).toContain('main');
  expect(JSON.parse(storage.contents.get(waitingFile) ?? '')).toMatchObject({ verb: 'restart' });
  await pass(59);
  expect(done).toEqual([]);
  await pass(1);
  expect(done).toEqual(['restart']);
  expect(notices[0]?.gone).toBe(true);
  expect(storage.contents.has(waitingFile)).toBe(false);
});

test.each<[what: string, left: Scope[] | null, verb: Verb, expected: Verb[]]>([
  ['was revoked', null, 'shutdown', []],
  ['lost the scope power', ['control'], 'shutdown', []],
  ['lost another scope', ['power'], 'shutdown', ['shutdown']],
  ['lost the scope power, which locking does not need', ['control'], 'lock', ['lock']],
  ['was revoked, so that a lock is dropped too', null, 'lock', []],
  ['lost every scope that locking needs', ['read'], 'lock', []],
])('an order whose token %s before it is due', async (_what, left, verb, expected) => {
  const { order, done, granted, pass, outcomes, notices, storage } = machine();
  await order(verb, { delay: 3600 });
  granted.scopes = left === null ? null : new Set(left);
  await pass(3600);
  expect(done).toEqual(expected);
  expect(storage.contents.has(waitingFile)).toBe(false);
  if (expected.length > 0) return;
  expect(outcomes().at(-1)).toBe(`${verb}: dropped: the token that ordered it was revoked, or may do less`);
  expect(notices.at(-1)?.body).toContain('revoked');
});

test('an order that falls due while control is paused is dropped', async () => {
  const { order, done, controlPause, pass, outcomes, notices } = machine();
  await order('shutdown', { delay: 3600 });
  controlPause.pause(null, 'main');
  await pass(3600);
  controlPause.resume();
  await pass(3600);
  expect(done).toEqual([]);
  expect(outcomes().at(-1)).toBe('shutdown: dropped: control was paused when it was due');
  expect(notices.at(-1)?.body).toContain('paused');
});

test('a short delay shows nothing', async () => {
  const { order, notices, pass, done } = machine();
  await order('sleep', { delay: 4.9 });
  await pass(5);
  expect([notices.length, done]).toEqual([0, ['sleep']]);
});

test('an order that would be refused is refused before it is scheduled', async () => {
  const { order, storage } = machine({ problem: new ServiceError('conflict', 'blocked by Backup') });
  await expect(order('sleep', { delay: 60 })).rejects.toThrow('blocked by Backup');
  expect(storage.contents.has(waitingFile)).toBe(false);
});

test('an obstacle at the due time is recorded and shown', async () => {
  const { order, state, pass, outcomes, notices, settle } = machine();
  await order('sleep', { delay: 60 });
  state.problem = new ServiceError('conflict', 'blocked by Backup');
  await pass(60);
  await settle();
  expect(outcomes().at(-1)).toBe('sleep: failed: blocked by Backup');
  expect(notices.at(-1)).toMatchObject({
    title: 'The machine could not go to sleep',
    body: 'blocked by Backup',
    cancel: null,
  });
});

test('a pending lock, which needs less than power, does not block other orders', async () => {
  const { order, pass, done, outcomes } = machine();
  await order('lock', { delay: 60 });
  await order('sleep');
  await order('shutdown', { delay: 120 });
  await pass(120);
  expect(done).toEqual(['sleep', 'shutdown']);
  expect(outcomes()).toContain('lock: replaced by a new order');
});

test('one order is pending at a time: another verb is refused, the same one replaces it', async () => {
  const { order, pass, done, cancel } = machine();
  await order('shutdown', { delay: 60 });
  for (const verb of ['restart', 'sleep', 'logout'] as const) {
    await expect(order(verb)).rejects.toMatchObject({
      code: 'conflict',
      message: expect.stringContaining('power.shutdown is scheduled for 2026-01-01T00:01:00.000Z'),
    });
  }
  await expect(order('lock', { delay: 5 })).rejects.toMatchObject({ code: 'conflict' });
  // An immediate lock is always allowed.
  await order('lock');
  await order('shutdown', { delay: 120, force: true });
  await pass(100);
  expect(done).toEqual(['lock']);
  await pass(20);
  expect(done).toEqual(['lock', 'shutdown!']);
  expect(() => cancel()).toThrow('nothing to cancel');
});

test('the same verb without a delay replaces the pending order', async () => {
  const { order, pass, done } = machine();
  await order('shutdown', { delay: 60 });
  await order('shutdown');
  await pass(100);
  expect(done).toEqual(['shutdown']);
});

test('callers with the scope cancel a scheduled order', async () => {
  const { order, cancel, pass, done, outcomes, notices, storage, settle } = machine();
  expect(() => cancel()).toThrow(expect.objectContaining({ code: 'conflict' }));
  await order('shutdown', { delay: 60 });
  await settle();
  expect(() => cancel(['control'])).toThrow(expect.objectContaining({ code: 'forbidden' }));
  expect(cancel(['power'])).toMatchObject({ message: 'power.shutdown was cancelled', data: { action: 'shutdown' } });
  await settle();
  expect([notices[0]?.gone, storage.contents.has(waitingFile)]).toEqual([true, false]);
  await order('lock', { delay: 60 });
  cancel(['control']);
  await pass(100);
  expect(done).toEqual([]);
  expect(outcomes().filter((line) => line.includes('cancelled'))).toEqual(['shutdown: cancelled', 'lock: cancelled']);
});

test('the button of the notification cancels', async () => {
  const { order, notices, pass, done, host, settle } = machine();
  await order('logout', { delay: 60 });
  await settle();
  notices[0]?.cancel?.();
  await pass(100);
  expect(done).toEqual([]);
  expect(readAudit(host).at(-1)).toMatchObject({ verb: 'logout', token: 'the user', outcome: 'cancelled' });
});

test('a restarted service reports the dropped order', async () => {
  const { order, storage, power } = machine();
  await order('shutdown', { delay: 3600 });
  power.close();
  const next = machine({ storage });
  expect(next.said).toEqual(['power: the pending shutdown was dropped: the service was restarted before it was due']);
  expect(next.outcomes().at(-1)).toContain('shutdown: dropped: the service was restarted');
  expect(storage.contents.has(waitingFile)).toBe(false);
  await next.pass(4000);
  expect(next.done).toEqual([]);
});

test('a damaged file of the pending order is ignored', () => {
  const { said, storage } = machine({ storage: memoryStorage({ [waitingFile]: '{' }) });
  expect([said, storage.contents.has(waitingFile)]).toEqual([[], false]);
});

test('an order that fell due while the machine slept is dropped; one that did not keeps its time', async () => {
  const { order, host, announce, pass, done, outcomes, settle } = machine();
  await order('shutdown', { delay: 600 });
  await settle();
  host.clock.set(host.clock.now() + 300_000);
  announce('resume');
  await pass(299);
  expect(done).toEqual([]);
  await pass(1);
  expect(done).toEqual(['shutdown']);
  await order('restart', { delay: 600 });
  await settle();
  host.clock.set(host.clock.now() + 601_000);
  announce('resume');
  await pass(4000);
  expect(done).toEqual(['shutdown']);
  expect(outcomes().at(-1)).toBe('restart: dropped: the machine was asleep when it was due');
});

test('the list of orders stays bounded, and an invalid line is skipped', async () => {
  const { order, host, storage, pass } = machine({
    storage: memoryStorage({ '/state/power.log': '{"time":1}\nnonsense\n' }),
  });
  for (let times = 0; times < 510; times++) {
    await order('lock');
    await pass(1001);
  }
  expect(readAudit(host)).toHaveLength(500);
  expect(storage.contents.get('/state/power.log')?.split('\n')).toHaveLength(501);
});

test('a flood of orders removes neither the orders of other tokens nor the other orders of its own from the list', async () => {
  const { order, host, power, caller, pass } = machine();
  const desk = { ...caller, tokenName: 'desk', tokenId: 'desk' };
  await power.order('shutdown', {}, desk);
  await order('restart');
  for (let times = 0; times < 510; times++) {
    await order('lock');
    await pass(1001);
  }
  const lines = readAudit(host);
  expect(lines.slice(0, 3)).toMatchObject([
    { verb: 'shutdown', token: 'desk' },
    { verb: 'restart', token: 'main' },
    { verb: 'lock', token: 'main' },
  ]);
  expect(lines).toHaveLength(500);
});

test('a flood of orders is refused for one token only', async () => {
  const { order, outcomes } = machine();
  for (let times = 0; times < 30; times++) await order('lock');
  await expect(order('lock')).rejects.toThrow('At most 30 power orders');
  expect(outcomes()).toHaveLength(30);
});

test('an order can be for a time of the day, hours ahead', async () => {
  const { host, order, power } = machine();
  const now = host.clock.now();
  const later = new Date(now + 10 * 3_600_000);
  later.setSeconds(0, 0);
  const clock = `${later.getHours()}:${String(later.getMinutes()).padStart(2, '0')}`;
  expect((await order('sleep', { at: clock })).data.at).toBe(later.toISOString());
  expect(power.pending()?.at).toBe(later.getTime());
});

test.each([
  ['tonight', 'at must be HH:MM or an ISO time'],
  ['2020-01-01T00:00:00Z', 'at must be within the next 24 hours'],
  ['2099-01-01T00:00:00Z', 'at must be within the next 24 hours'],
])('%s is not a valid time for an order', async (at, sentence) => {
  await expect(machine().order('sleep', { at })).rejects.toThrow(sentence);
});

test('a delay and a time at once are refused', async () => {
  await expect(machine().order('sleep', { delay: 5, at: '23:00' })).rejects.toThrow('not both');
});
