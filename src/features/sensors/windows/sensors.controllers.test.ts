import { expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import type { HidReports } from './hid.ts';
import { createWindowsHid, parseHidPath } from './sensors.controllers.ts';

const end = '#{4d1e55b2-f16f-11cf-88cb-001111000030}';

test.each([
  [
    `\\\\?\\hid#vid_1e71&pid_2007&mi_00#7&1a2b3c4d&0&0000${end}`,
    { place: '7&1a2b3c4d&0&0000', vendor: 0x1e71, product: 0x2007, interface: 0 },
  ],
  [
    `\\\\?\\HID#VID_1B1C&PID_0C10#6&ff&1&0000${end}`,
    { place: '6&ff&1&0000', vendor: 0x1b1c, product: 0x0c10, interface: Number.NaN },
  ],
  [
    `\\\\?\\hid#vid_1b1c&pid_0c1c&mi_01&col02#8&2&0&0001${end}`,
    { place: '8&2&0&0001', vendor: 0x1b1c, product: 0x0c1c, interface: 1 },
  ],
])('the path %s identifies the device', (path, identity) => {
  expect(parseHidPath(path)).toEqual({ path, ...identity });
});

test.each(['', '\\\\?\\hid#converteddevice&col01#5&3', `\\\\?\\hid#vid_zzzz&pid_2007#1${end}`, 'vid_1e71&pid_2007'])(
  'the path %j is not recognised',
  (path) => expect(parseHidPath(path)).toBeNull(),
);

function device(given: Partial<HidReports> = {}) {
  const closed: number[] = [];
  const native: HidReports = {
    list: () => [],
    open: () => 7,
    outputs: () => [[0x70, 63]],
    received: () => [],
    send: () => true,
    wasSent: () => true,
    close: (number) => void closed.push(number),
    ...given,
  };
  const clock = fakeClock();
  return { hid: createWindowsHid(native, clock), clock, closed };
}

test('the report lengths are known once it is open, and its reports are returned until it is closed', async () => {
  const { hid, closed } = device({ received: () => [Uint8Array.of(0x75, 2)] });
  expect(hid.outputs.size).toBe(0);
  const connection = await hid.open('x');
  expect([...hid.outputs]).toEqual([[0x70, 63]]);
  expect(connection?.received()).toEqual([Uint8Array.of(0x75, 2)]);
  expect(await connection?.send(Uint8Array.of(0x70))).toBe(true);
  connection?.close();
  expect(closed).toEqual([7]);
});

test('an inaccessible device is not opened', async () => {
  expect(await device({ open: () => 0 }).hid.open('x')).toBeNull();
});

test('a report that is rejected, fails or never completes was not sent', async () => {
  const sent = async (given: Partial<HidReports>) => {
    const { hid, clock } = device(given);
    const connection = await hid.open('x');
    const answer = connection?.send(Uint8Array.of(0x70));
    for (let step = 0; step < 400; step += 1) {
      await Promise.resolve();
      clock.advance(5);
    }
    return await answer;
  };
  expect(await sent({ send: () => false })).toBe(false);
  expect(await sent({ wasSent: () => false })).toBe(false);
  expect(await sent({ wasSent: () => null })).toBe(false);
  let polls = 0;
  expect(await sent({ wasSent: () => (++polls < 3 ? null : true) })).toBe(true);
});
