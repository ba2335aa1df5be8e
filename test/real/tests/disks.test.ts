import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { startThread } from '../../../src/app/threads/start-thread.ts';
import { minimumAgeMs } from '../../../src/core/store/reader.ts';
import { disksLinux } from '../../../src/features/disks/disks.linux.ts';
import { type Counters, type Disks, disksSchema } from '../../../src/features/disks/disks.schema.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { fakeContext } from '../../doubles/fake-host.ts';
import { collectReasons } from '../../harness/machines.ts';
import { until } from '../../harness/until.ts';
import { createPrivateMounts, type PrivateMounts } from '../harness/mounts.ts';
import { needs } from '../harness/parts.ts';
import { hasPsutil, type Psutil, startPsutil } from '../harness/psutil.ts';

setDefaultTimeout(120_000);

const isRoot = process.getuid?.() === 0;

describe.skipIf(!hasPsutil())('disks beside psutil', () => {
  const host = createLinuxHost('6.0.0', startThread);
  const source = disksLinux(host, fakeContext());
  let psutil: Psutil;

  beforeAll(() => {
    psutil = startPsutil();
  });
  afterAll(() => {
    psutil.stop();
    source.close?.();
  });

  const read = async (): Promise<Disks> => {
    const payload = await source.read(collectReasons().reasons);
    if (payload === null) throw new Error('there are no disks');
    return payload;
  };
  const partitions = ({ devices }: Disks) => devices.flatMap((device) => device.partitions);

  test('disks that both list have the same device, type and options', async () => {
    const theirs = await psutil.ask<Record<string, string>[]>('psutil.disk_partitions(all=True)');
    const ours = partitions(await read());
    expect(ours.length).toBeGreaterThan(0);
    for (const partition of ours) {
      const same = theirs.findLast(({ mountpoint }) => mountpoint === partition.mount_point);
      expect(same?.fstype).toBe(partition.filesystem_type);
      expect(same?.device).toBe(partition.device);
      expect(same?.opts?.split(',').sort()).toEqual(partition.options.split(',').sort());
    }
  });

  test('usage matches while data is written', async () => {
    const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-disks-'));
    try {
      for (const megabytes of [0, 40, 80]) {
        fs.writeFileSync(path.join(directory, String(megabytes)), Buffer.alloc(megabytes * 1_000_000, 1));
        for (const { mount_point, usage } of partitions(await read())) {
          if (usage === null) continue;
          const theirs = await psutil.ask<NonNullable<typeof usage>>(
            `psutil.disk_usage(${JSON.stringify(mount_point)})`,
          );
          expect(usage.total).toBe(theirs.total);
          // Others write as well.
          expect(Math.abs(usage.used - theirs.used)).toBeLessThan(usage.total / 100);
          expect(Math.abs(usage.free - theirs.free)).toBeLessThan(usage.total / 100);
          expect(Math.abs(usage.percent - theirs.percent)).toBeLessThan(1.5);
        }
      }
    } finally {
      fs.rmSync(directory, { recursive: true });
    }
  });

  test('counters lie between two psutil readings for each disk, and grow with what is written', async () => {
    const counters = () => psutil.ask<Record<string, Counters>>('psutil.disk_io_counters(perdisk=True, nowrap=False)');
    const keys: (keyof Counters)[] = [
      'read_count',
      'write_count',
      'read_bytes',
      'write_bytes',
      'read_time',
      'write_time',
    ];
    const start = await read();
    const file = path.join(os.tmpdir(), `hostler-disks-${process.pid}`);
    fs.writeFileSync(file, Buffer.alloc(8_000_000, 1), { flush: true });
    fs.rmSync(file);
    const before = await counters();
    const ours = await read();
    const after = await counters();
    const disks = ours.devices.filter(({ io_counters }) => io_counters !== null);
    expect(disks.length).toBeGreaterThan(0);
    for (const { name, io_counters } of disks) {
      for (const key of keys) {
        const value = io_counters?.[key] ?? Number.NaN;
        expect(value).toBeGreaterThanOrEqual(before[name]?.[key] ?? Number.NaN);
        expect(value).toBeLessThanOrEqual(after[name]?.[key] ?? Number.NaN);
      }
    }
    const isReal = (name: string) => !/^(loop|ram|zram|dm-|md)|^(sd[a-z]+|vd[a-z]+)\d|p\d+$/.test(name);
    const sum = (all: Record<string, Counters>, key: keyof Counters) =>
      Object.entries(all).reduce((total, [name, entry]) => (isReal(name) ? total + entry[key] : total), 0);
    for (const key of keys) {
      expect(ours.io_counters?.[key]).toBeGreaterThanOrEqual(sum(before, key));
      expect(ours.io_counters?.[key]).toBeLessThanOrEqual(sum(after, key));
    }
    expect((ours.io_counters?.write_bytes ?? 0) - (start.io_counters?.write_bytes ?? 0)).toBeGreaterThan(0);
  });
});

const tools = ['unshare', 'nsenter', 'mount', 'umount', '/usr/bin/python3', 'mkfs.ext4', 'mksquashfs'];

describe.skipIf(!isRoot || !needs(...tools))('mounts that come and go', () => {
  let mounts: PrivateMounts;
  let place: (name: string) => string;

  beforeEach(async () => {
    mounts = await createPrivateMounts((directory) =>
      ['memory', 'bound', 'file', 'package'].map((name) => path.join(directory, name)),
    );
    place = (name) => path.join(mounts.directory, name);
  });
  afterEach(() => mounts.remove());

  const makeDirectory = (name: string | Buffer) => fs.mkdirSync(name);
  const image = (name: string) => {
    const file = place(`${name}.image`);
    fs.writeFileSync(file, '');
    fs.truncateSync(file, 16_000_000);
    execFileSync('mkfs.ext4', ['-q', '-F', file], {
      stdio: 'ignore',
      env: { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` },
    });
    return file;
  };

  test('tmpfs, bind mounts, files and squashfs are classified, and pushed as they come and go', async () => {
    await mounts.ask('listen');
    await mounts.ask('disks');
    const shown = () => (mounts.pushed.at(-1)?.devices ?? []).flatMap(({ partitions }) => partitions);
    const category = (name: string) => shown().find(({ mount_point }) => mount_point === place(name))?.category;
    fs.mkdirSync(place('source'));
    fs.writeFileSync(place('source/text'), 'x'.repeat(10_000));
    fs.writeFileSync(place('file'), '');
    execFileSync('mksquashfs', [place('source'), place('package.image'), '-quiet', '-no-progress'], {
      stdio: 'ignore',
    });
    const cases: [string, string, string[]][] = [
      ['memory', 'primary', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs']],
      ['bound', 'bind', ['--bind', place('source')]],
      ['file', 'bind', ['--bind', place('source/text')]],
      ['package', 'squashfs', ['-o', 'loop,ro', place('package.image')]],
    ];
    for (const [name, expected, options] of cases) {
      if (name !== 'file') makeDirectory(place(name));
      mounts.run('mount', ...options, place(name));
      await until(() => category(name) === expected, `${name} to be pushed as ${expected}`);
      mounts.run('umount', place(name));
      await until(() => category(name) === undefined, `${name} to be gone`);
    }
    for (const payload of mounts.pushed) disksSchema.parse(payload);
  });

  test('a file system on a loop device is a separate disk, whatever its mount point is called', async () => {
    const names = ['with blank', 'with\nnewline', 'with\\040backslash', 'Müsik – ♫'];
    const file = image('small');
    for (const name of names) {
      makeDirectory(place(name));
      mounts.run('mount', '-o', 'loop', file, place(name));
      const partition = await present(() => mounts.at(place(name)));
      const [total, used, free] = JSON.parse(
        mounts.run(
          '/usr/bin/python3',
          '-c',
          'import json, shutil, sys; print(json.dumps(shutil.disk_usage(sys.argv[1])))',
          place(name),
        ),
      );
      expect(partition.usage).toMatchObject({ total, used, free });
      expect(partition).toMatchObject({ filesystem_type: 'ext4', category: 'primary' });
      const { answer } = await mounts.ask('disks');
      const device = answer.devices.find(({ partitions }) =>
        partitions.some((entry) => entry.mount_point === place(name)),
      );
      expect(`/dev/${device?.name}`).toBe(partition.device);
      mounts.run('umount', place(name));
    }
  });

  test('a mount point whose name is not valid UTF-8 can be queried', async () => {
    const name = Buffer.concat([Buffer.from(place('not')), Buffer.from([0xff, 0xfe])]);
    makeDirectory(name);
    // Such a name cannot be an argument of a program here.
    mounts.run(
      '/usr/bin/python3',
      '-c',
      `import os, subprocess; subprocess.run(['mount', '-o', 'loop', ${JSON.stringify(image('odd'))}, os.fsencode(${JSON.stringify(place('not'))}) + bytes([255, 254])], check=True)`,
    );
    const partition = await present(() => mounts.at(`${place('not')}\ufffd\ufffd`));
    expect(partition.usage?.total).toBeGreaterThan(1_000_000);
    fs.rmdirSync(name);
  });

  test('a mount covered by another is hidden, and comes back', async () => {
    makeDirectory(place('below'));
    mounts.run('mount', '-o', 'loop', image('below'), place('below'));
    await present(() => mounts.at(place('below')));
    mounts.run('mount', '-t', 'tmpfs', 'tmpfs', mounts.directory);
    await until(async () => (await mounts.at(place('below'))) === undefined, 'it to be hidden');
    mounts.run('umount', mounts.directory);
    await present(() => mounts.at(place('below')));
  });

  test('reading does not trigger automounts', async () => {
    makeDirectory(place('demand'));
    const automount = await mounts.start('on-demand.py', place('demand'));
    await mounts.ask('listen');
    for (let round = 0; round < 5; round++) {
      expect(await mounts.at(place('demand'))).toBeUndefined();
      makeDirectory(place(`other${round}`));
      mounts.run('mount', '-t', 'tmpfs', 'tmpfs', place(`other${round}`));
    }
    expect(automount.said()).toBe('mounted\n');
    // Proves that an access would have been detected.
    expect(() => mounts.run('timeout', '--signal=KILL', '1', 'stat', '--file-system', place('demand'))).toThrow();
    await until(() => automount.said().includes('demanded'), 'the demand to be noticed');
  });

  test('a hundred mounts leave nothing behind', async () => {
    await mounts.ask('listen');
    await mounts.ask('disks');
    makeDirectory(place('memory'));
    const { answer: before } = await mounts.ask('descriptors');
    for (let round = 0; round < 50; round++) {
      mounts.run('mount', '-t', 'tmpfs', 'tmpfs', place('memory'));
      mounts.run('umount', place('memory'));
    }
    await until(
      async () => Number((await mounts.ask('descriptors')).answer) <= Number(before) + 1,
      'descriptors to be closed',
    );
  });
});

describe.skipIf(!isRoot || !needs(...tools) || !fs.existsSync('/dev/fuse'))('file systems that do not answer', () => {
  let mounts: PrivateMounts;
  let place: (name: string) => string;

  beforeEach(async () => {
    mounts = await createPrivateMounts();
    place = (name) => path.join(mounts.directory, name);
    fs.mkdirSync(place('files'));
  });
  afterEach(() => mounts.remove());

  /** A file system that answers until it is made to hang. */
  const serve = async (name: string) => {
    fs.mkdirSync(place(name));
    const { pid } = await mounts.start('hanging-files.py', place('files'), place(name));
    return {
      hang: () => void process.kill(pid, 'SIGUSR1'),
      goOn: () => void process.kill(pid, 'SIGUSR2'),
      end: () => void process.kill(pid, 'SIGKILL'),
    };
  };

  const usageReasons = async () => {
    const { answer } = await mounts.ask('reasons');
    return answer.filter(({ field }) => field === 'devices[].partitions[].usage').map(({ reason }) => reason);
  };

  test('a file system that answers is measured in its own blocks', async () => {
    await serve('alive');
    const { bsize, blocks } = fs.statfsSync(place('files'));
    expect((await mounts.at(place('alive')))?.usage?.total).toBe(bsize * blocks);
  });

  test('three file systems that hang have no usage, with a reason each; everything else works, and they recover when they answer', async () => {
    const names = ['a-dead', 'b-dead', 'c-dead'];
    const dead = [];
    for (const name of names) {
      const served = await serve(name);
      served.hang();
      dead.push(served);
    }
    await serve('alive');
    const usages = ({ devices }: Disks) =>
      Object.fromEntries(
        devices.flatMap(({ partitions }) => partitions.map((each) => [each.mount_point, each.usage !== null])),
      );
    const expected = {
      '/': true,
      ...Object.fromEntries(names.map((name) => [place(name), false])),
      [place('alive')]: true,
    };
    // Loaded before it is timed.
    await mounts.ask('memory');
    const disks = mounts.ask('disks');
    const memory = await mounts.ask('memory');
    const first = await disks;
    // It did not wait for them.
    expect(memory.ms).toBeLessThan(first.ms);
    const isExpected = (known: Record<string, boolean>) =>
      Object.entries(expected).every(([at, is]) => known[at] === is);
    await until(
      async () => isExpected(usages((await mounts.ask('disks')).answer)),
      'only those that are silent to be unknown',
    );
    const reasons = await usageReasons();
    for (const name of names) {
      expect(reasons.some((reason) => reason.startsWith(`${place(name)} (fuse.hanging from hanging) `))).toBe(true);
    }
    // The threads of the runtime are not exhausted, and the mounts are not queried again.
    expect((await mounts.ask('threads')).answer).toBe(true);
    for (let round = 0; round < 3; round++) {
      await aged();
      await mounts.ask('disks');
      expect((await mounts.ask('threads')).answer).toBe(true);
    }
    await mounts.ask('listen');
    for (const served of dead) served.goOn();
    const known = () =>
      (mounts.pushed.at(-1)?.devices ?? [])
        .flatMap(({ partitions }) => partitions)
        .filter(({ usage }) => usage !== null).length;
    await until(() => known() === 5, 'their usage to be pushed');
    await until(async () => (await usageReasons()).length === 0, 'the reasons to be gone');
  });

  test('a file system that dies afterwards, and one that is unmounted while it hangs', async () => {
    const served = await serve('served');
    expect((await mounts.at(place('served')))?.usage).not.toBeNull();
    served.hang();
    await until(async () => (await mounts.at(place('served')))?.usage === null, 'its silence to be noticed');
    mounts.run('umount', '--lazy', place('served'));
    await until(async () => (await mounts.at(place('served'))) === undefined, 'it to be gone');
    expect(await usageReasons()).toEqual([]);
    const other = await serve('other');
    expect((await mounts.at(place('other')))?.usage).not.toBeNull();
    other.end();
    await until(async () => (await mounts.at(place('other')))?.usage === null, 'its end to be noticed');
    expect((await usageReasons())[0]).toContain(
      `${place('other')} (fuse.hanging from hanging) does not report how full it is: ENOTCONN`,
    );
  });
});

/** Waits until the cached payload is too old. */
const aged = () => new Promise((resolve) => setTimeout(resolve, minimumAgeMs + 50));

/** Waits for the first value. */
async function present<T>(ask: () => Promise<T | undefined>): Promise<T> {
  let found: T | undefined;
  await until(async () => {
    found = await ask();
    return found !== undefined;
  }, 'it to be listed');
  if (found === undefined) throw new Error('it is not listed');
  return found;
}
