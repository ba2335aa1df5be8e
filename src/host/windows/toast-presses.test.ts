import { expect, test } from 'bun:test';
import { fakeClock } from '../../../test/doubles/fake-host.ts';
import { createToastPresses } from './toast-presses.ts';

test('an address is accepted once, within three days, and only as it was given', () => {
  const clock = fakeClock();
  const presses = createToastPresses(clock);
  const pressed: string[] = [];
  const expectPress = () => presses.expect((key) => void pressed.push(key));
  const [first, forgotten, late] = [expectPress(), expectPress(), expectPress()];
  for (const wrong of ['', 'hostler:', `hostler:${'0'.repeat(32)}-yes`, `x${first.addressOf('yes')}`])
    expect(presses.accept(wrong)).toBe(false);
  expect(presses.accept(first.addressOf('button-1'))).toBe(true);
  expect(presses.accept(first.addressOf('button-1'))).toBe(false);
  forgotten.forget();
  expect(presses.accept(forgotten.addressOf('yes'))).toBe(false);
  clock.advance(3 * 24 * 3_600_000 + 1);
  expect(presses.accept(late.addressOf('yes'))).toBe(false);
  expect(pressed).toEqual(['button-1']);
});
