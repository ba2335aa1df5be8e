import { afterAll, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createStore, type Store } from '../../../src/core/store.ts';
import type { Battery } from '../../../src/features/battery/battery.schema.ts';
import { battery } from '../../../src/features/battery/battery.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import { createEnvironment } from '../../../src/host/environment.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { createFiles } from '../../../src/host/linux/files.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { createPrivateBatteries, hasBatteries, type PrivateBatteries, python } from '../harness/batteries.ts';

setDefaultTimeout(120_000);

const pack = {
  type: 'Battery',
  scope: 'System',
  present: 1,
  status: 'Discharging',
  technology: 'Li-ion',
  energy_full_design: 60_000_000,
  energy_full: 50_000_000,
  energy_now: 30_000_000,
  power_now: 10_000_000,
  voltage_now: 12_000_000,
  capacity: 60,
};
const unplugged = { type: 'Mains', online: 0 };
const emptying: Battery = { is_charging: false, percentage: 60, time_remaining: 10_800, devices: [] };

describe.skipIf(!hasBatteries())('the battery of a laptop with the real UPower', () => {
  let batteries: PrivateBatteries;

  beforeAll(async () => {
    batteries = await createPrivateBatteries();
    await batteries.set({ BAT0: pack, AC: unplugged });
  });
  afterAll(() => batteries.remove());
  beforeEach(async () => {
    await batteries.set({ AC: unplugged, BAT0: pack });
  });

  /** A store that reads only these batteries; its interval never elapses. */
  function open({ sys = '/no/sys' }: { sys?: string } = {}): { store: Store; close(): void } {
    const dbus = connectBuses(createEnvironment({ DBUS_SYSTEM_BUS_ADDRESS: batteries.bus }));
    const settings = { ...defaultSettings, modules: { battery: { interval: 86_400_000 } } };
    const host: LinuxHost = { ...createLinuxHost('6.0.0', startThread), dbus, files: createFiles({ sys }) };
    const store = createStore({
      modules: [battery.module],
      host,
      context: fakeContext({ settings: () => settings }),
    });
    return {
      store,
      close() {
        store.close();
        dbus.system.close();
        dbus.session.close();
      },
    };
  }

  /** Changes the level until one is pushed: from then on no change is missed. Leaves it at 60 %. */
  async function untilFollowed(pushed: unknown[]): Promise<void> {
    let level = 60;
    await until(async () => {
      level = level === 60 ? 58 : 60;
      await batteries.set({ BAT0: { capacity: level, energy_now: level * 500_000 } });
      return pushed.length > 0;
    }, 'changes are followed');
    await batteries.set({ BAT0: pack });
  }

  const payloadOf = async (store: Store) => (await store.get('battery')).payload as Battery;

  test('without UPower the kernel provides the same values', async () => {
    await batteries.killDaemon();
    const { store, close } = open({ sys: batteries.sys });
    expect(withoutDevices(await payloadOf(store))).toEqual(withoutDevices(emptying));
    close();
  });

  test('level, state and time come from UPower, also where /sys is hidden', async () => {
    await batteries.startDaemon();
    const { store, close } = open();
    await until(
      async () => isDeepStrictEqual(withoutDevices(await payloadOf(store)), withoutDevices(emptying)),
      'UPower reports the same',
    );
    close();
  });

  test('two batteries of different size are combined by their energy, and a mouse is not counted', async () => {
    await batteries.set({
      BAT1: { ...pack, status: 'Not charging', energy_full: 100_000_000, energy_now: 90_000_000, power_now: 0 },
      mouse: { type: 'Battery', scope: 'Device', status: 'Discharging', capacity: 5, model_name: 'Mouse', present: 1 },
    });
    await batteries.killDaemon();
    const kernel = open({ sys: batteries.sys });
    const expected = { is_charging: false, percentage: 80, time_remaining: 43_200 };
    expect(await payloadOf(kernel.store)).toMatchObject(expected);
    const attached = (await payloadOf(kernel.store)).devices;
    expect(attached).toMatchObject([{ name: 'Mouse', percentage: 5, is_charging: false }]);
    await batteries.startDaemon();
    const upower = open();
    const isAddedUp = ({ is_charging, percentage }: Battery) => is_charging === false && percentage === 80;
    await until(async () => isAddedUp(await payloadOf(upower.store)), 'UPower has added them up');
    await until(async () => (await payloadOf(upower.store)).devices.length === 1, 'UPower reports the mouse');
    expect((await payloadOf(upower.store)).devices).toMatchObject([
      { name: 'Mouse', percentage: 5, is_charging: false },
    ]);
    const pushed: Battery[] = [];
    upower.store.listen('battery', ({ payload }) => pushed.push(payload as Battery));
    let level = 5;
    await until(async () => {
      level = level === 5 ? 6 : 5;
      await batteries.set({ mouse: { capacity: level } });
      return new Set(pushed.map(({ devices }) => devices[0]?.percentage)).size > 1;
    }, 'the level of the mouse is pushed');
    kernel.close();
    upower.close();
    await batteries.set({ BAT1: { present: 0 } });
  });

  test('a change is pushed as soon as UPower announces it', async () => {
    const { store, close } = open({ sys: batteries.sys });
    const pushed: { payload: Battery; at: number }[] = [];
    store.listen('battery', ({ payload }) => pushed.push({ payload: payload as Battery, at: performance.now() }));
    // UPower itself may be busy: what counts is the time from its signal to our listener.
    const announced: number[] = [];
    const witness = connectBuses(createEnvironment({ DBUS_SYSTEM_BUS_ADDRESS: batteries.bus })).system;
    const display = '/org/freedesktop/UPower/devices/DisplayDevice';
    const changes = { path: display, interface: 'org.freedesktop.DBus.Properties' };
    await witness.subscribe(changes, () => announced.push(performance.now()));
    await untilFollowed(pushed);
    await until(() => pushed.at(-1)?.payload.percentage === 60, 'UPower has settled');
    announced.length = 0;
    await batteries.set({
      AC: { online: 1 },
      BAT0: { status: 'Charging', energy_now: 35_000_000, capacity: 70, power_now: 10_000_000 },
    });
    // UPower may read while only a part of it is written.
    const expected = { is_charging: true, percentage: 70, time_remaining: 5400 };
    const charged = () => pushed.find(({ payload }) => isDeepStrictEqual(withoutDevices(payload), expected));
    await until(() => charged() !== undefined, 'the change is pushed');
    const delay = (charged()?.at ?? Number.NaN) - Math.min(...announced);
    console.log(`pushed ${delay.toFixed(1)} ms after UPower announced it`);
    witness.close();
    close();
  });

  test('a UPower that crashes and restarts is detected', async () => {
    const { store, close } = open();
    const pushed: Battery[] = [];
    store.listen('battery', ({ payload }) => pushed.push(payload as Battery));
    await untilFollowed(pushed);
    await batteries.killDaemon();
    await until(() => pushed.at(-1)?.percentage === null, 'it is gone, and nothing is known');
    await batteries.startDaemon();
    await until(() => pushed.at(-1)?.percentage === 60, 'it is back');
    close();
  });

  test('the values from the kernel match psutil', async () => {
    await batteries.killDaemon();
    const { store, close } = open({ sys: batteries.sys });
    for (const change of [{ energy_now: 12_345_678 }, { energy_now: 49_000_000, power_now: 3_300_000 }]) {
      await batteries.set({ BAT0: { ...pack, ...change } });
      // A payload younger than a quarter of a second comes from the cache.
      await new Promise((resolve) => setTimeout(resolve, 300));
      const ours = await payloadOf(store);
      const theirs = psutil(path.join(batteries.sys, 'class', 'power_supply'));
      expect(Math.abs((ours.percentage ?? Number.NaN) - theirs.percent)).toBeLessThanOrEqual(1);
      expect(Math.abs((ours.time_remaining ?? Number.NaN) - theirs.secsleft)).toBeLessThanOrEqual(1);
      expect(ours.is_charging).toBe(theirs.power_plugged);
    }
    close();
  });
});

const withoutDevices = ({ devices: _devices, ...rest }: Battery) => rest;

function psutil(directory: string): { percent: number; secsleft: number; power_plugged: boolean } {
  const script = `
import json, sys, psutil
psutil._pslinux.POWER_SUPPLY_PATH = sys.argv[1]
print(json.dumps(psutil.sensors_battery()._asdict()))`;
  return JSON.parse(execFileSync(python, ['-c', script, directory], { encoding: 'utf8' }));
}
