import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createStore, type Store } from '../../../src/core/store.ts';
import type { Disks } from '../../../src/features/disks/disks.schema.ts';
import { disks } from '../../../src/features/disks/disks.ts';
import { defaultSettings } from '../../../src/features/index.ts';
import { createEnvironment } from '../../../src/host/environment.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { connectBuses } from '../../../src/host/linux/dbus/connect-buses.ts';
import { createFiles } from '../../../src/host/linux/files.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { until } from '../../harness/until.ts';
import { createPrivateDrives, hasDrives, type PrivateDrives } from '../harness/drives.ts';

setDefaultTimeout(180_000);

describe.skipIf(!hasDrives())('the health of drives from the real UDisks', () => {
  let drives: PrivateDrives;
  let root: string;

  beforeAll(async () => {
    root = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-drives-'));
    const write = (file: string, text: string) => {
      fs.mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      fs.writeFileSync(path.join(root, file), text);
    };
    const line = (minor: number, name: string) => `   8 ${minor} ${name} 1 0 8 1 1 0 8 1 0 1 1\n`;
    write('proc/diskstats', line(0, 'sda') + line(16, 'sdb'));
    write('proc/self/mountinfo', '');
    write('proc/1/mountinfo', '');
    for (const name of ['sda', 'sdb']) {
      write(`sys/block/${name}/size`, '1953525168\n');
      write(`sys/block/${name}/device/vendor`, 'ATA     \n');
    }
    drives = await createPrivateDrives(['sda', 'sdb']);
    await drives.startDaemon();
    await drives.answer('sda', 'wdc-wd5000aaks');
    await drives.answer('sdb', 'seagate-st9100821as');
    for (const name of ['sda', 'sdb']) expect(await drives.update(name)).toBe('done');
  });
  afterAll(async () => {
    await drives.remove();
    fs.rmSync(root, { recursive: true });
  });

  /** A store that reads only these drives; its interval never elapses. */
  function open(): { store: Store; close(): void } {
    const dbus = connectBuses(createEnvironment({ DBUS_SYSTEM_BUS_ADDRESS: drives.bus }));
    const files = createFiles({ all: root });
    const real = createLinuxHost('6.0.0', startThread);
    const settings = { ...defaultSettings, modules: { disks: { interval: 86_400_000 } } };
    const place = (file: string) => path.join(root, file);
    const host: LinuxHost = { ...real, dbus, files, place, mountTable: '/proc/self/mountinfo' };
    const store = createStore({ modules: [disks.module], host, context: fakeContext({ settings: () => settings }) });
    return {
      store,
      close() {
        store.close();
        dbus.system.close();
        dbus.session.close();
      },
    };
  }

  const healthIn = (payload: unknown, name: string) =>
    (payload as Disks).devices.find((device) => device.name === name)?.health ?? null;

  test('matches what the drives report, and no drive is queried for it', async () => {
    await drives.asked('sda');
    const { store, close } = open();
    try {
      const { payload } = await store.get('disks');
      // Beside skdump of libatasmart: 63 sectors, 529 sectors, 40 °C, 14992 h.
      expect(healthIn(payload, 'sda')).toMatchObject({
        passed: true,
        reallocated: 63,
        pending: 529,
        temperature: 40,
        power_on_hours: 14_992,
        critical_warnings: [],
      });
      expect(healthIn(payload, 'sdb')).toMatchObject({ passed: true, reallocated: 0, pending: 0 });
      expect(Math.abs((healthIn(payload, 'sda')?.read_at ?? 0) - Date.now() / 1000)).toBeLessThan(600);
      expect(await drives.asked('sda')).toEqual([]);
    } finally {
      close();
    }
  });

  test('a drive that begins to fail is pushed; UDisks is followed after a kill and restart', async () => {
    const { store, close } = open();
    const pushed: unknown[] = [];
    const stop = store.listen('disks', (reading) => void pushed.push(reading.payload));
    try {
      await until(() => pushed.some((payload) => healthIn(payload, 'sda')?.passed === true), 'the first reading');
      await drives.answer('sda', 'maxtor-96147h8', { passed: false });
      // From then on changes are followed.
      await until(async () => {
        expect(await drives.update('sda')).toBe('done');
        return pushed.some((payload) => healthIn(payload, 'sda')?.passed === false);
      }, 'the failing drive is pushed');
      expect(healthIn(pushed.at(-1), 'sda')).toMatchObject({
        passed: false,
        critical_warnings: ['Spin_Retry_Count'],
        reallocated: 69,
      });
      await drives.killDaemon();
      // The last values are still valid.
      expect(healthIn((await store.get('disks')).payload, 'sda')?.passed).toBe(false);
      await drives.answer('sda', 'wdc-wd5000aaks');
      await drives.startDaemon();
      await until(async () => {
        await drives.update('sda');
        return healthIn(pushed.at(-1), 'sda')?.passed === true;
      }, 'the restarted daemon is followed');
    } finally {
      stop();
      close();
    }
  });

  test('a sleeping drive is not woken, and shows its last values', async () => {
    const { store, close } = open();
    try {
      const before = healthIn((await store.get('disks')).payload, 'sdb');
      await drives.answer('sdb', 'seagate-st9100821as', { asleep: true });
      await drives.asked('sdb');
      expect(await drives.update('sdb')).toContain('sleep mode');
      expect(await drives.asked('sdb')).toEqual(['e5']);
      const other = open();
      expect(healthIn((await other.store.get('disks')).payload, 'sdb')).toEqual(before);
      other.close();
      expect(await drives.asked('sdb')).toEqual([]);
    } finally {
      close();
    }
  });

  test('where UDisks does not run it is not started, and the reason says what to do', async () => {
    await drives.killDaemon();
    const { store, close } = open();
    try {
      const { payload, reasons } = await store.get('disks');
      expect(healthIn(payload, 'sda')).toBeNull();
      expect(reasons.filter(({ field }) => field === 'devices[].health').map(({ reason }) => reason)).toEqual([
        expect.stringContaining('start udisks2, or run Hostler as root'),
      ]);
    } finally {
      close();
    }
  });
});
