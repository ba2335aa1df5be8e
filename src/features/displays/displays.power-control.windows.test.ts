import { describe, expect, test } from 'bun:test';
import { fakeActionContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { desktopShown, hiddenDesktops, nativeOf } from '../../../test/doubles/recorded-native.ts';
import { displayActions } from './displays.actions.ts';

function machine(displays: string[], takes = true, shown = desktopShown()) {
  const orders: boolean[] = [];
  const switchDisplays = (on: boolean) => {
    orders.push(on);
    return takes;
  };
  const host = fakeHost({ platform: 'windows', native: nativeOf({ user32: { switchDisplays }, ...shown }) } as never);
  const read = async () => ({ payload: displays.map((id) => ({ id, name: id })), reasons: [] }) as never;
  const { context } = fakeActionContext(host, { read });
  const power = displayActions.find(({ name }) => name === 'display.power');
  if (power === undefined) throw new Error('there is no display.power');
  return { orders, run: (input: { display?: string; on: boolean }) => power.run(input as never, context) };
}

describe('displays of Windows', () => {
  test.each([
    [{ on: false }, 'off'],
    [{ on: true }, 'on'],
    [{ on: false, display: 'A' }, 'off'],
  ])('%p switches the only one, unconfirmed', async (input, power) => {
    const { run, orders } = machine(['A']);
    expect((await run(input)).data).toEqual({ displays: ['A'], power, confirmed: false } as never);
    expect(orders).toEqual([input.on]);
  });

  test('are switched together', async () => {
    const { run, orders } = machine(['A', 'B']);
    expect((await run({ on: false })).data).toMatchObject({ displays: ['A', 'B'] });
    await expect(run({ on: false, display: 'A' })).rejects.toMatchObject({ code: 'unsupported' });
    expect(orders).toEqual([false]);
  });

  test.each(hiddenDesktops)('%s those of another user stay as they are', async (_when, shown, sentence) => {
    const { run, orders } = machine(['A'], true, shown);
    // Displays of a locked screen may be switched.
    const isOwn = sentence.startsWith('The screen is locked');
    if (isOwn) expect((await run({ on: false })).data).toMatchObject({ power: 'off' });
    else await expect(run({ on: false })).rejects.toThrow(sentence);
    expect(orders).toEqual(isOwn ? [false] : []);
  });

  test('a request that Windows does not accept is an error', async () => {
    await expect(machine(['A'], false).run({ on: false })).rejects.toMatchObject({ code: 'failed' });
  });
});
