import { expect, test } from 'bun:test';
import { fakeClock, fakeHost } from '../../../test/doubles/fake-host.ts';
import { desktopShown, nativeOf } from '../../../test/doubles/recorded-native.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import { createKeptToasts } from '../../host/windows/kept-toasts.ts';
import { SYSTEM_POWER_CAPABILITIES } from '../../host/windows/native/powrprof.structs.ts';
import { createToastPresses } from '../../host/windows/toast-presses.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { powerWindows } from './power.windows.ts';

type Capabilities = Parameters<typeof structBytes<typeof SYSTEM_POWER_CAPABILITIES>>[1];

function machine(capabilities: Capabilities, accepts = true, shown = desktopShown()) {
  const orders: string[] = [];
  const order = (text: string) => {
    orders.push(text);
    return accepts;
  };
  const native = {
    advapi32: {
      enablePrivilege: () => true,
      initiateShutdown: (options: object) => order(`shutdown ${JSON.stringify(options)}`),
    },
    powrprof: {
      capabilities: () => structBytes(SYSTEM_POWER_CAPABILITIES, capabilities),
      suspend: (hibernate: boolean) => order(`suspend ${hibernate}`),
    },
    user32: {
      lockWorkStation: () => order('lock'),
      logOff: (force: boolean) => order(`log off ${force}`),
      switchDisplays: (on: boolean) => order(`displays ${on}`),
    },
  };
  const host = fakeHost({ native: nativeOf({ ...native, ...shown }) } as object);
  return { verbs: powerWindows(host as unknown as WindowsHost).verbs, orders, clock: host.clock };
}

test('sleep begins only after the response, because the call returns after waking', async () => {
  const { verbs, orders, clock } = machine({ SystemS3: 1 });
  expect(await verbs.sleep?.perform({ force: false })).toBe('The machine goes to sleep');
  expect(orders).toEqual([]);
  clock.advance(1000);
  expect(orders).toEqual(['suspend false']);
});

test('a machine with Modern Standby sleeps by switching its displays off, and hibernates as others do', async () => {
  const { verbs, orders, clock } = machine({ 'spare2[2]': 1, SystemS4: 1, HiberFilePresent: 1 });
  expect(await verbs.sleep?.perform({ force: false })).toContain('Modern Standby');
  expect(orders).toEqual(['displays false']);
  await verbs.hibernate?.perform({ force: false });
  clock.advance(1000);
  expect(orders).toEqual(['displays false', 'suspend true']);
});

test('a machine with Modern Standby does not claim to sleep where Windows refuses, or the screen is that of another user', async () => {
  const refused = machine({ 'spare2[2]': 1 }, false);
  await expect(refused.verbs.sleep?.perform({ force: false })).rejects.toThrow('did not accept');
  const behind = machine({ 'spare2[2]': 1 }, true, desktopShown({ atConsole: 2, state: 4 }));
  await expect(behind.verbs.sleep?.perform({ force: false })).rejects.toThrow('This session is not on the screen');
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
  const { verbs } = machine({}, false);
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
