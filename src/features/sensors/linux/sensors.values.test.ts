import { expect, test } from 'bun:test';
import { fakeClock } from '../../../../test/doubles/fake-host.ts';
import { machineFiles } from '../../../../test/harness/machine-files.ts';
import { createValues } from './sensors.values.ts';

const [one, two] = ['/sys/one', '/sys/two'];

/** Files of a device that takes this long to answer. */
function machine({ ofDrive = false } = {}) {
  const clock = fakeClock();
  const files = machineFiles({ [one]: '41000\n', [two]: '42000\n' });
  const device = { takesMs: 0, now: 0, background: 0, hangs: false };
  const host = {
    clock,
    files: {
      ...files,
      keep(path: string) {
        const opened = files.keep(path);
        const number = () => {
          device.now += 1;
          clock.advance(device.takesMs);
          return opened.number();
        };
        return { ...opened, number };
      },
      async textLater(path: string) {
        device.background += 1;
        if (device.hangs) await new Promise(() => {});
        clock.advance(device.takesMs);
        return files.text(path);
      },
    },
  };
  return { host, clock, files, device, values: createValues(host, [one, two], ofDrive) };
}

test('the first values are read in the background, those of a fast device synchronously from then on', async () => {
  const { values, device, files } = machine();
  expect(values.read()).toEqual([null, null]);
  await values.refresh();
  await Promise.resolve();
  expect(device).toMatchObject({ background: 2, now: 0 });
  files.write(one, '43000\n');
  expect(values.read()).toEqual([43_000, 42_000]);
  expect(device).toMatchObject({ background: 2, now: 2 });
  values.close();
});

test('a slow device is read in the background, and its last values are returned meanwhile', async () => {
  const { values, device, files } = machine();
  device.takesMs = 800;
  await values.refresh();
  files.write(two, '50000\n');
  expect(values.read()).toEqual([41_000, 42_000]);
  await new Promise((resolve) => setImmediate(resolve));
  expect(values.read()).toEqual([41_000, 50_000]);
  expect(device.now).toBe(0);
  values.close();
});

test('a device that becomes slow delays one read, and is retried later', async () => {
  const { values, device } = machine();
  await values.refresh();
  device.takesMs = 20;
  values.read();
  expect(device.now).toBe(2);
  device.takesMs = 0;
  for (let round = 0; round < 30; round += 1) {
    values.read();
    await new Promise((resolve) => setImmediate(resolve));
  }
  expect(device.now).toBe(2);
  values.read();
  expect(device.now).toBe(4);
  values.close();
});

test('a device that stopped answering has no values after a while, and is not read twice', async () => {
  const { values, device, clock } = machine();
  device.takesMs = 10;
  await values.refresh();
  device.hangs = true;
  expect(values.read()).toEqual([41_000, 42_000]);
  clock.advance(30_001);
  expect(values.read()).toEqual([null, null]);
  expect(device.background).toBe(3);
  values.close();
});

test('a file without a value is not read until the device is confirmed to be the same', async () => {
  const { values, files, device } = machine();
  await values.refresh();
  files.write(one, 'no data\n');
  expect(values.read()).toEqual([null, 42_000]);
  files.write(one, '70000\n');
  expect(values.read()).toEqual([null, 42_000]);
  values.renew();
  expect(values.read()).toEqual([70_000, 42_000]);
  expect(device.now).toBe(5);
  values.close();
});

test('a drive is always read in the background, however fast it was, and not at every read', async () => {
  const { values, device, clock, files } = machine({ ofDrive: true });
  await values.refresh();
  files.write(one, '45000\n');
  for (let second = 0; second < 9; second += 1) {
    values.read();
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(1000);
  }
  expect(values.read()).toEqual([45_000, 42_000]);
  expect(device).toMatchObject({ background: 4, now: 0 });
  values.close();
});

test('values that are too old are waited for, unless they can be read at once or are being read', async () => {
  const { values, device, clock } = machine();
  device.takesMs = 10;
  await values.refresh();
  expect(values.stale()).toBe(false);
  clock.advance(30_001);
  expect(values.stale()).toBe(true);
  device.hangs = true;
  void values.refresh();
  expect(values.stale()).toBe(false);
  values.close();
  const quick = machine();
  await quick.values.refresh();
  quick.clock.advance(30_001);
  expect(quick.values.stale()).toBe(false);
  quick.values.close();
});
