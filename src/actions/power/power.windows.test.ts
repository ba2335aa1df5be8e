import { expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import { SYSTEM_POWER_CAPABILITIES } from '../../host/windows/native/powrprof.structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { powerWindows } from './power.windows.ts';

type Capabilities = Parameters<typeof structBytes<typeof SYSTEM_POWER_CAPABILITIES>>[1];

function machine(capabilities: Capabilities, accepts = true) {
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
    user32: { lockWorkStation: () => order('lock'), logOff: (force: boolean) => order(`log off ${force}`) },
  };
  const host = fakeHost({ native: async () => native } as object);
  return { verbs: powerWindows(host as unknown as WindowsHost).verbs, orders, clock: host.clock };
}

test('sleep begins only when the answer is out, since the call comes back after it', async () => {
  const { verbs, orders, clock } = machine({ SystemS3: 1 });
  expect(await verbs.sleep?.perform({ force: false })).toBe('The machine goes to sleep');
  expect(orders).toEqual([]);
  clock.advance(1000);
  expect(orders).toEqual(['suspend false']);
});

test.each([
  [{}, 'cannot sleep', 'cannot hibernate'],
  [{ 'spare2[2]': 1, SystemS4: 1 }, null, 'cannot hibernate'],
  [{ SystemS4: 1, HiberFilePresent: 1 }, 'cannot sleep', null],
])('a machine with %p says what it cannot do', async (capabilities, sleep, hibernate) => {
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

test('a refusal of Windows is told as one', async () => {
  const { verbs } = machine({}, false);
  for (const verb of ['shutdown', 'restart', 'lock', 'logout'] as const)
    await expect(verbs[verb]?.perform({ force: false }) ?? Promise.resolve()).rejects.toThrow(
      `power.${verb} was refused`,
    );
});

test('force closes what does not want to end', async () => {
  const { verbs, orders } = machine({});
  await verbs.restart?.perform({ force: true });
  await verbs.logout?.perform({ force: true });
  expect(orders).toEqual(['shutdown {"restart":true,"force":true}', 'log off true']);
});
