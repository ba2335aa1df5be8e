import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import { spawn } from 'node:child_process';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { runHostler, startHostler } from '../harness/service.ts';

setDefaultTimeout(300_000);

/** Modules whose payload holds no rate: a replay does not advance. */
const still = ['memory', 'system', 'networks', 'disks', 'battery', 'sensors', 'displays', 'gpus'];

const contentsOf = (directory: string) =>
  fs
    .readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((file) => path.join(directory, file))
    .filter((file) => fs.lstatSync(file).isFile());

describe('a bug report', () => {
  let directory: string;
  let recording: string;
  beforeAll(async () => {
    directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-record-'));
    recording = path.join(directory, 'a report');
    const { code, stdout, stderr } = await runHostler(['record', recording], { directory });
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Look through the directory before you send it');
    expect(stdout).toContain(`HOSTLER_ROOT='${recording}'`);
  });
  afterAll(() => fs.rmSync(directory, { recursive: true, force: true }));

  test('replayed on another machine, every module returns what was recorded', async () => {
    await using hostler = await startHostler({ env: { HOSTLER_ROOT: recording } });
    for (const module of still) {
      const expected: unknown = JSON.parse(fs.readFileSync(path.join(recording, 'expected', `${module}.json`), 'utf8'));
      const payload: unknown = await (await hostler.get(`/api/data/${module}`)).json();
      expect({ module, payload }).toEqual({ module, payload: expected });
    }
    // All recorded processes are present.
    const processes = (await (await hostler.get('/api/data/processes')).json()) as { id: number }[];
    const recorded = JSON.parse(fs.readFileSync(path.join(recording, 'expected', 'processes.json'), 'utf8'));
    expect(processes.map(({ id }) => id)).toEqual(recorded.map(({ id }: { id: number }) => id));
  });

  test('contains the kernel data of this machine unchanged', () => {
    const total = (file: string) => /^MemTotal: .*$/m.exec(fs.readFileSync(file, 'utf8'))?.[0];
    expect(total(path.join(recording, 'proc', 'meminfo'))).toBe(total('/proc/meminfo') ?? '');
  });

  test('contains no address of this machine, and only its owner can read it', () => {
    const own = Object.values(os.networkInterfaces())
      .flatMap((entries) => entries ?? [])
      .filter(({ internal }) => !internal)
      .flatMap(({ address, mac }) => [address, mac])
      .filter((text) => !/^(00:){5}00$/.test(text));
    for (const file of contentsOf(recording)) {
      const text = fs.readFileSync(file, 'latin1');
      for (const address of own)
        expect({ file, address, found: text.includes(address) }).toMatchObject({ found: false });
    }
    expect(fs.statSync(recording).mode & 0o777).toBe(0o700);
  });

  test('contains no arguments and environments of programs', async () => {
    const secret = `not-for-reports-${process.pid}`;
    const place = path.join(directory, 'second');
    const holder = spawn('sh', ['-c', 'read line', secret], {
      env: { SECRET: secret },
      stdio: ['pipe', 'ignore', 'ignore'],
    });
    try {
      expect((await runHostler(['record', place], { directory })).code).toBe(0);
      expect(fs.existsSync(path.join(place, 'proc', String(holder.pid), 'stat'))).toBe(true);
    } finally {
      holder.kill();
    }
    for (const file of contentsOf(place))
      expect({ file, found: fs.readFileSync(file, 'latin1').includes(secret) }).toEqual({ file, found: false });
  });

  test('a directory that is in use is not overwritten', async () => {
    const { code, stderr } = await runHostler(['record', recording], { directory });
    expect(code).toBe(1);
    expect(stderr).toContain('exists already');
  });

  test('support contains what a maintainer needs, and no secret', async () => {
    await using hostler = await startHostler();
    const { code, stdout } = await runHostler(['support'], { directory: hostler.directory });
    expect(code).toBe(0);
    for (const part of ['Modules', 'Actions', 'Last lines of the log', 'linux']) expect(stdout).toContain(part);
    expect(stdout).not.toContain(hostler.token);
    const { stdout: json } = await runHostler(['support', '--json'], { directory: hostler.directory });
    expect(JSON.parse(json)).toMatchObject({ hostler: expect.any(String), doctor: expect.any(Array) });
  });
});
