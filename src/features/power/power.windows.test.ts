import { expect, test } from 'bun:test';
import { fakeClock, fakeHost } from '../../../test/doubles/fake-host.ts';
import { desktopShown, elsewhere, nativeOf } from '../../../test/doubles/recorded-native.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import { createKeptToasts } from '../../host/windows/kept-toasts.ts';
import type { WindowsEvent } from '../../host/windows/messages.ts';
import { SYSTEM_POWER_CAPABILITIES } from '../../host/windows/native/powrprof.structs.ts';
import { createToastPresses } from '../../host/windows/toast-presses.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { powerWindows } from './power.windows.ts';

type Capabilities = Parameters<typeof structBytes<typeof SYSTEM_POWER_CAPABILITIES>>[1];

interface MachineOptions {
  accepts?: boolean;
  shown?: ReturnType<typeof desktopShown>;
  /** What the order to sleep does, before the call returns. */
  suspended?: (machine: { asleep(ms: number): void; announce(event: WindowsEvent): void }) => unknown;
}

function machine(
  capabilities: Capabilities,
  { accepts = true, shown = desktopShown(), suspended = ({ asleep }) => asleep(60_000) }: MachineOptions = {},
) {
  const orders: string[] = [];
  const followers = new Set<(event: WindowsEvent) => void>();
  let asleepMs = 1000;
  const acts = {
    asleep: (ms: number) => {
      asleepMs += ms;
    },
    announce: (event: WindowsEvent) => {
      for (const received of followers) received(event);
    },
  };
  const order = (text: string) => {
    orders.push(text);
    return accepts;
  };
  const native = {
    advapi32: {
      enablePrivilege: () => true,
      initiateShutdown: (options: object) => order(`shutdown ${JSON.stringify(options)}`),
    },
    kernel32: { asleepMs: () => asleepMs },
    powrprof: {
      capabilities: () => structBytes(SYSTEM_POWER_CAPABILITIES, capabilities),
      async suspend(hibernate: boolean) {
        await suspended(acts);
        return order(`suspend ${hibernate}`);
      },
    },
    user32: {
      lockWorkStation: () => order('lock'),
      logOff: (force: boolean) => order(`log off ${force}`),
      switchDisplays: (on: boolean) => order(`displays ${on}`),
    },
  };
  const messages = {
    async follow(received: (event: WindowsEvent) => void) {
      followers.add(received);
      return () => void followers.delete(received);
    },
  };
  const parts = { native: nativeOf({ ...native, ...shown }), nativeElsewhere: elsewhere(native), messages };
  const host = fakeHost(parts as object);
  const { verbs } = powerWindows(host as unknown as WindowsHost);
  const failures: string[] = [];
  const perform = (verb: 'sleep' | 'hibernate') =>
    verbs[verb]?.perform({ force: false }, (reason) => failures.push(reason)) ?? Promise.reject(verb);
  return { verbs, perform, orders, failures, followers, clock: host.clock, ...acts };
}

/** As time passes, in steps. */
async function pass(clock: { advance(ms: number): void }, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 500) {
    clock.advance(500);
    await settle();
  }
}

test.each(['sleep', 'hibernate'] as const)('%s is reported once the machine has slept', async (verb) => {
  const { perform, orders, failures, followers } = machine({ SystemS3: 1, SystemS4: 1, HiberFilePresent: 1 });
  expect(await perform(verb)).toBe(verb === 'sleep' ? 'The machine goes to sleep' : 'The machine hibernates');
  await settle();
  expect(orders).toEqual([`suspend ${verb === 'hibernate'}`]);
  expect(failures).toEqual([]);
  expect(followers.size).toBe(0);
});

test('the response is sent when Windows announces the sleep, before the machine sleeps', async () => {
  const awake = Promise.withResolvers<void>();
  const { perform, failures, clock, asleep } = machine(
    { SystemS3: 1 },
    {
      suspended({ announce }) {
        announce('sleep');
        return awake.promise;
      },
    },
  );
  expect(await perform('sleep')).toBe('The machine goes to sleep');
  asleep(3_600_000);
  awake.resolve();
  await pass(clock, 40_000);
  expect(failures).toEqual([]);
});

test('the response is sent in time where Windows announces nothing', async () => {
  const { perform, clock } = machine({ SystemS3: 1 }, { suspended: () => new Promise(() => {}) });
  const performed = perform('sleep');
  await pass(clock, 2000);
  expect(await performed).toBe('The machine goes to sleep');
});

test('an accepted request that does not put the machine to sleep has failed', async () => {
  const { perform, clock, followers } = machine({ SystemS3: 1 }, { suspended: () => {} });
  const performed = perform('sleep').catch(messageOf);
  await pass(clock, 1500);
  expect(await performed).toBe('power.sleep: the machine did not sleep (Windows accepted the request)');
  expect(followers.size).toBe(0);
});

test('a sleep that was announced and did not happen is reported after the response', async () => {
  const { perform, clock, failures } = machine({ SystemS3: 1 }, { suspended: ({ announce }) => announce('sleep') });
  expect(await perform('sleep')).toBe('The machine goes to sleep');
  await pass(clock, 29_000);
  expect(failures).toEqual([]);
  await pass(clock, 2000);
  expect(failures).toEqual(['the machine did not sleep (Windows accepted the request)']);
});

test('a call that Windows does not answer is judged by whether the machine slept', async () => {
  const slept = machine(
    { SystemS3: 1 },
    {
      suspended({ asleep }) {
        asleep(60_000);
        throw new Error('Windows did not answer within 8 s');
      },
    },
  );
  expect(await slept.perform('sleep')).toBe('The machine goes to sleep');
  const awake = machine(
    { SystemS3: 1 },
    {
      suspended() {
        throw new Error('Windows did not answer within 8 s');
      },
    },
  );
  const performed = awake.perform('sleep').catch(messageOf);
  await pass(awake.clock, 1500);
  expect(await performed).toBe('power.sleep: the machine did not sleep (Windows did not answer within 8 s)');
});

test('a refusal of Windows to sleep is reported', async () => {
  const { perform } = machine({ SystemS3: 1 }, { accepts: false, suspended: () => {} });
  await expect(perform('sleep')).rejects.toThrow('power.sleep: Windows refused it');
});

test('a machine with Modern Standby sleeps by switching its displays off, and hibernates as others do', async () => {
  const { perform, orders, failures, clock, announce } = machine({ 'spare2[2]': 1, SystemS4: 1, HiberFilePresent: 1 });
  const performed = perform('sleep');
  await pass(clock, 2000);
  expect(await performed).toContain('Modern Standby');
  expect(orders).toEqual(['displays false']);
  announce('sleep');
  await pass(clock, 200_000);
  expect(failures).toEqual([]);
  await perform('hibernate');
  expect(orders).toEqual(['displays false', 'suspend true']);
});

test('a machine that does not enter Modern Standby in two minutes has not slept', async () => {
  const { perform, failures, clock, followers } = machine({ 'spare2[2]': 1 });
  const performed = perform('sleep');
  await pass(clock, 2000);
  await performed;
  await pass(clock, 117_000);
  expect(failures).toEqual([]);
  await pass(clock, 2000);
  expect(failures).toEqual([expect.stringContaining('did not sleep within 2 minutes: "powercfg /requests"')]);
  expect(followers.size).toBe(0);
});

test('a machine with Modern Standby does not claim to sleep where Windows refuses, or the screen is that of another user', async () => {
  const refused = machine({ 'spare2[2]': 1 }, { accepts: false });
  await expect(refused.perform('sleep')).rejects.toThrow('did not accept');
  const behind = machine({ 'spare2[2]': 1 }, { shown: desktopShown({ atConsole: 2, state: 4 }) });
  await expect(behind.perform('sleep')).rejects.toThrow('This session is not on the screen');
  expect(behind.orders).toEqual([]);
});

test.each([
  [{}, 'cannot sleep', 'cannot hibernate'],
  [{ 'spare2[2]': 1, SystemS4: 1 }, null, 'cannot hibernate'],
  [{ SystemS4: 1, HiberFilePresent: 1 }, 'cannot sleep', null],
])('a machine with %p reports what it does not support', async (capabilities, sleep, hibernate) => {
  const { verbs } = machine(capabilities);
  const problem = async (verb: 'sleep' | 'hibernate') =>
    await verbs[verb]?.check({ force: true }).then(
      () => null,
      (error: Error) => error.message,
    );
  const said = (text: string | null) => (text === null ? null : expect.stringContaining(text));
  expect(await problem('sleep')).toEqual(said(sleep));
  expect(await problem('hibernate')).toEqual(said(hibernate));
});

test('a refusal of Windows is reported as forbidden', async () => {
  const { verbs } = machine({}, { accepts: false });
  for (const verb of ['shutdown', 'restart', 'lock', 'logout'] as const)
    await expect(verbs[verb]?.perform({ force: false }) ?? Promise.resolve()).rejects.toThrow(
      `power.${verb} was refused`,
    );
});

test('force closes programs that block the order', async () => {
  const { verbs, orders } = machine({});
  await verbs.restart?.perform({ force: true });
  await verbs.logout?.perform({ force: true });
  expect(orders).toEqual(['shutdown {"restart":true,"force":true}', 'log off true']);
});

/** The toasts of Windows: their state, and what was shown. */
function notices(state: 'on' | 'off' | 'unknown', { hasDesktop = true, hides = true } = {}) {
  const [shown, balloons]: [string[], string[]] = [[], []];
  const toasts = {
    state: async () => state,
    show: async (_app: string, xml: string) => void shown.push(xml),
    async hide() {
      if (!hides) throw new Error('the thread for toasts ended');
      shown.pop();
    },
    present: async () => [],
  };
  const shell32 = {
    async balloon(title: string) {
      balloons.push(title);
      return hasDesktop;
    },
  };
  const clock = fakeClock();
  const presses = createToastPresses(clock, createKeptToasts(fakeHost({ clock, paths: { state: '/state' } as never })));
  const nativeElsewhere = (name: string) => (name === 'toasts' ? toasts : shell32);
  const host = fakeHost({ clock, presses, nativeElsewhere } as object);
  const { notify } = powerWindows(host as unknown as WindowsHost);
  return { notify, shown, balloons, presses };
}

const settle = async () => {
  for (let tick = 0; tick < 5; tick += 1) await new Promise((resolve) => setImmediate(resolve));
};

test('a notice stays, and its button cancels the order', async () => {
  const { notify, shown, presses } = notices('on');
  const cancelled: string[] = [];
  const remove = await notify?.({
    title: 'Shutdown',
    body: 'in a minute',
    cancel: () => cancelled.push('yes'),
  } as never);
  expect(shown[0]).toContain('scenario="reminder"');
  expect(shown[0]).toContain('content="Cancel"');
  expect(await presses.accept(/hostler:[0-9a-f]+-cancel/.exec(shown[0] ?? '')?.[0] ?? '')).toBe(true);
  expect(cancelled).toEqual(['yes']);
  remove?.();
  await settle();
  expect(shown).toEqual([]);
});

test('a notice that can no longer be removed causes no error', async () => {
  const { notify } = notices('on', { hides: false });
  const remove = await notify?.({ title: 'Shutdown', body: 'in a minute', cancel: null } as never);
  remove?.();
  // Otherwise the unhandled rejection would end this run, as it would end the service.
  await settle();
});

test('without toasts a notice is a balloon, and without a desktop it is rejected', async () => {
  const { notify, balloons } = notices('unknown');
  (await notify?.({ title: 'Restart', body: 'now', cancel: null } as never))?.();
  expect(balloons).toEqual(['Restart']);
  const alone = notices('off', { hasDesktop: false });
  expect(alone.notify?.({ title: 'x', body: 'y', cancel: null } as never)).rejects.toThrow('there is no desktop');
});

test('announcements of Windows are passed on, except events that are not about power', async () => {
  type Listener = (event: string) => void;
  const followers: { listener: Listener; lost(): void }[] = [];
  const messages = {
    async follow(listener: Listener, lost: () => void) {
      followers.push({ listener, lost });
      return () => {};
    },
    delay: () => () => {},
  };
  const { announcements } = powerWindows(fakeHost({ messages } as object) as unknown as WindowsHost);
  const events: string[] = [];
  await announcements?.follow((event) => events.push(event));
  for (const event of ['sleep', 'power', 'shutdown', 'session-end', 'resume']) followers[0]?.listener(event);
  followers[0]?.lost();
  expect(events).toEqual(['sleep', 'shutdown', 'resume', 'reconnected']);
});
