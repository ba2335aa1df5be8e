import { expect, test } from 'bun:test';
import { fakeClock } from '@hostler/io/testing/fake-clock.ts';
import { openWayland } from './connection.ts';
import { followOutputs } from './outputs.ts';
import { kde, switchingCompositor, wlr } from './testing/switching-compositor.ts';

async function compositor(...given: Parameters<typeof switchingCompositor>) {
  const { connect, ...made } = switchingCompositor(...given);
  return { ...made, wayland: await openWayland(connect, fakeClock(), { socket: '/x', timeoutMs: 1000 }) };
}

for (const words of [wlr, kde])
  test(`a display is switched by ${words.kind}, and the others are not`, async () => {
    const { wayland, powers } = await compositor(words);
    const outputs = await followOutputs(wayland, () => {});
    await wayland.sync();
    expect(outputs.hasPower()).toBe(true);
    const [first] = outputs.list();
    if (first === undefined) throw new Error('no output');
    outputs.setPower(first, 'off');
    await wayland.sync();
    expect(powers()).toEqual(['off', 'on']);
    expect(first.power).toBe('off');
    outputs.setPower(first, 'on');
    await wayland.sync();
    expect(powers()).toEqual(['on', 'on']);
  });

test('an exclusive power control is held for a moment only', async () => {
  const { wayland, switches, switchOff } = await compositor(wlr);
  let changes = 0;
  const outputs = await followOutputs(wayland, () => changes++);
  expect(switches.size).toBe(0);
  await outputs.readPower();
  expect(outputs.list().map(({ power }) => power)).toEqual(['on', 'on']);
  expect(switches.size).toBe(0);
  const before = changes;
  switchOff(1);
  await outputs.readPower();
  expect(outputs.list().map(({ power }) => power)).toEqual(['on', 'off']);
  // A read must not be reported as a change: it would cause the next read, for ever.
  expect(changes).toBe(before);
});

test('without an exclusive protocol, changes are reported', async () => {
  const { wayland, switchOff } = await compositor(kde);
  let changes = 0;
  const outputs = await followOutputs(wayland, () => changes++);
  await wayland.sync();
  const before = changes;
  switchOff(0);
  expect(changes).toBe(before + 1);
  expect(outputs.list().map(({ power }) => power)).toEqual(['off', 'on']);
});

test('a display that cannot be switched is reported as such, whatever mode it reports', async () => {
  const { wayland } = await compositor(kde, { fixed: ['DP-2'] });
  const outputs = await followOutputs(wayland, () => {});
  await wayland.sync();
  expect(outputs.list().map(({ power, isFixed }) => [power, isFixed])).toEqual([
    ['on', false],
    [null, true],
  ]);
});

test('a display controlled by another program is unknown, and reading it has no side effect', async () => {
  const { wayland, powers } = await compositor(wlr, { held: true });
  const outputs = await followOutputs(wayland, () => {});
  await outputs.readPower();
  expect(outputs.list().map(({ power }) => power)).toEqual(['on', null]);
  const [, second] = outputs.list();
  if (second === undefined) throw new Error('no output');
  outputs.setPower(second, 'off');
  await wayland.sync();
  expect([second.power, powers()]).toEqual([null, ['on', 'on']]);
});
