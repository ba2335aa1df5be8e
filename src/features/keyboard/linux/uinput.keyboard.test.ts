import { expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import type { UinputDevice } from '../../../host/linux/input/uinput.device.ts';
import { presserOnUinput } from './uinput.keyboard.ts';
import type { LayoutKeysyms } from './xkbcommon.ts';

function machine(layout: LayoutKeysyms | null) {
  const events: string[] = [];
  const device: UinputDevice = {
    send(type, code, value) {
      if (type === 1) events.push(`${value === 1 ? '+' : '-'}${code}`);
    },
    close: () => void events.push('closed'),
  };
  const after = (_ms: number, callback: () => void) => {
    callback();
    return () => {};
  };
  const clock = { ...fakeClock(), after };
  const presser = presserOnUinput(
    (codes) => {
      events.push(`made with ${codes.length > 100}`);
      return device;
    },
    clock,
    async () => layout,
  );
  return { events, presser };
}

const key = (code: number, level: number, isEverywhere = true) => ({ keysym: 0, code, level, isEverywhere });
const german: LayoutKeysyms = new Map([
  [0x79, key(44, 0)],
  [0x59, key(44, 1)],
  [0x40, key(16, 2)],
  [0xe4, key(40, 0, false)],
]);

test('keys are pressed at their position in the layout, with Shift if needed', async () => {
  const { events, presser } = machine(german);
  expect(await presser.lacks?.([0x79, 0x59, 0xff0d, 0xffe3])).toBe(false);
  for (const keysym of [0x79, 0x59, 0xff0d]) {
    presser.down(keysym);
    presser.up(keysym);
  }
  await presser.close();
  expect(events).toEqual(['made with true', '+44', '-44', '+42', '+44', '-44', '-42', '+28', '-28', 'closed']);
});

test('characters that need more than Shift, or depend on the active layout, are refused', async () => {
  const { presser } = machine(german);
  for (const keysym of [0x40, 0xe4, 0x0100_4e00]) expect(await presser.lacks?.([keysym])).toBe(true);
});

test('without a known layout only keys without a character are pressed', async () => {
  const { presser } = machine(null);
  expect(await presser.lacks?.([0xff0d, 0x1008_ff14, 0x20])).toBe(false);
  expect(await presser.lacks?.([0x61])).toBe(true);
});
