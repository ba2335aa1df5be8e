import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { Gpus } from '../../../src/features/gpus/gpus.schema.ts';
import { until } from '../../harness/until.ts';
import { createFakeNvml, type FakeNvml, hasCompiler } from '../doubles/fake-nvml.ts';
import { type RunningHostler, runHostler, startHostler } from '../harness/service.ts';

setDefaultTimeout(120_000);

describe.skipIf(!hasCompiler())('the service with a driver of NVIDIA', () => {
  let library: FakeNvml;
  let service: RunningHostler;
  let env: Record<string, string>;

  beforeAll(async () => {
    library = createFakeNvml();
    library.set({ count: 2 });
    const dev = path.join(library.directory, 'dev');
    const bin = path.join(library.directory, 'bin');
    fs.mkdirSync(dev);
    fs.mkdirSync(bin);
    fs.writeFileSync(path.join(dev, 'nvidiactl'), '');
    env = { HOSTLER_DEV: dev, LD_LIBRARY_PATH: library.directory, PATH: `${bin}:${process.env.PATH}` };
    service = await startHostler({ env });
  });
  afterAll(async () => {
    await service.stop();
    library.remove();
  });

  /** The GPUs of the simulated driver; this machine may have others. */
  const read = async (): Promise<Gpus> => {
    const gpus = (await (await service.get('/api/data/gpus')).json()) as Gpus;
    return gpus.filter(({ name }) => name.startsWith('NVIDIA Pretence'));
  };

  test('its GPUs are listed with all values, read in a separate thread', async () => {
    await until(async () => (await read()).length === 2, 'both GPUs are listed');
    expect((await read())[0]).toEqual({
      id: '0000:a0:00.0',
      name: 'NVIDIA Pretence 0',
      core_clock: 1980,
      core_load: 73,
      memory_clock: 3201,
      memory_load: 21,
      memory_free: 143052,
      memory_used: 96,
      memory_total: 143771,
      power_usage: 74.32,
      temperature: 27,
      // Those PIDs may belong to programs of this machine, or to none.
      processes: [
        [70, 67, 40],
        [71, 68, 0],
        [72, null, 0],
      ].map(([pid, memory, load]) => expect.objectContaining({ pid, memory, load })),
      fan_speed: null,
    });
  });

  test('a GPU that gets lost stays in the list without values, and comes back', async () => {
    library.set({ count: 2, lost: 1 });
    await until(async () => (await read())[1]?.temperature === null, 'its values are gone');
    expect(await read()).toMatchObject([
      { id: '0000:a0:00.0', temperature: 27 },
      { id: '0000:a1:00.0', temperature: null, memory_total: null },
    ]);
    library.set({ count: 2 });
    await until(async () => (await read())[1]?.temperature === 27, 'it is back');
  });

  test('a driver that hangs delays no other module', async () => {
    library.set({ count: 2, delay: 2000 });
    // A payload younger than a quarter of a second comes from the cache.
    await new Promise((resolve) => setTimeout(resolve, 300));
    const reading = read();
    let answered = 0;
    let done = false;
    const finished = reading.finally(() => {
      done = true;
    });
    while (!done) {
      expect((await service.get('/api/health')).status).toBe(200);
      answered += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
    await finished;
    // With a driver in the same thread there would be one reply or two, after it.
    expect(answered).toBeGreaterThan(2);
    library.set({ count: 2 });
    await until(async () => (await read())[0]?.temperature === 27, 'it answers again');
  });

  test('the self-test of the compiled file compares every field with nvidia-smi, and reports differences', async () => {
    library.set({ count: 1 });
    const line = (temperature: number) =>
      `00000000:A0:00.0, NVIDIA Pretence 0, 1980, 73, 3201, 21, 143052, 96, 143771, 74.32, ${temperature}`;
    const program = path.join(library.directory, 'bin', 'nvidia-smi');
    const say = (text: string) => fs.writeFileSync(program, `#!/bin/sh\necho "${text}"\n`, { mode: 0o755 });
    say(line(27));
    const good = await runHostler(['self-test', 'gpu'], { env, compiled: true });
    expect(good.stdout).toContain('12 passed, 0 failed');
    expect(good.code).toBe(0);
    say(line(61));
    const bad = await runHostler(['self-test', 'gpu'], { env, compiled: true });
    expect(bad.stderr).toContain('Different from nvidia-smi: temperature');
    expect(bad.code).toBe(1);
  });
});
