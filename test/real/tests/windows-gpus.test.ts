// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import type { Reason } from '../../../src/core/reasons.ts';
import type { Gpus } from '../../../src/features/gpus/gpus.schema.ts';
import { unexplained } from '../../harness/machines.ts';
import { until } from '../harness/service.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineLibrary } from '../harness/wine-standin.ts';

setDefaultTimeout(180_000);

const read = async (hostler: WineHostler) => {
  const gpus = (await (await hostler.get('/api/data/gpus')).json()) as Gpus;
  const states = (await (await hostler.get('/api/modules')).json()) as { name: string; reasons: Reason[] }[];
  return { gpus, reasons: states.find(({ name }) => name === 'gpus')?.reasons ?? [] };
};

/** The first answer of a busy machine may come before the first reading. */
const known = (hostler: WineHostler, count: number) =>
  until(async () => {
    const now = await read(hostler);
    return now.gpus.length >= count ? now : null;
  });

describe.skipIf(!needsWine())("GPUs of the Windows build, with Wine's own DirectX", () => {
  test('the adapter is listed, and values that Wine does not provide are null with a reason', async () => {
    // Without a GPU Wine supports DirectX only as far as no drawing is needed.
    const key = '\\n[Software\\\\\\\\Wine\\\\\\\\Direct3D] 1700000000\\n"renderer"="no3d"\\n';
    const hostler = await startWineHostler({ mounts: [`printf '${key}' >> "$0/w/pfx/user.reg"`] });
    try {
      // Without a screen no window can be created to receive it. Wine sometimes stops for ever when two threads load its libraries at once.
      await until(() => (hostler.output().includes('Hostler cannot detect the end of the session') ? true : null));
      const { gpus, reasons } = await known(hostler, 1);
      expect(gpus).toMatchObject([{ name: 'WineD3D DirectDraw Emulation', memory_total: 128, core_load: null }]);
      expect(unexplained(gpus, reasons)).toEqual([]);
      expect(reasons.find(({ field }) => field === '[].power_usage')?.reason).toContain('share of the board limit');
    } finally {
      await hostler.stop();
    }
  });
});

describe.skipIf(!needsWine())('GPUs of the Windows build, with stand-ins for DirectX, its kernel and NVML', () => {
  let hostler: WineHostler;
  const say = (text: string) => fs.writeFileSync(hostler.drive('standins/nvml.txt'), text);

  beforeAll(async () => {
    const parts = [
      wineLibrary('fake-gpu', 'dxgi.dll'),
      wineLibrary('fake-nvml', 'nvml.dll', ['-DSTATE="C:\\\\standins\\\\nvml.txt"']),
    ];
    const state = ['mkdir -p "$0/w/pfx/drive_c/standins"', 'echo "0 1 -1 0 0" > "$0/w/pfx/drive_c/standins/nvml.txt"'];
    hostler = await startWineHostler({
      mounts: [...state, ...parts.flatMap(({ mounts = [] }) => mounts)],
      environment: { WINEDLLOVERRIDES: 'dxgi,nvml=n' },
    });
  });
  afterAll(() => hostler?.stop());

  test('the NVIDIA GPU is read by its own library, the other one by Windows, and software is not listed', async () => {
    const { gpus, reasons } = await known(hostler, 2);
    expect(gpus.map(({ id, name }) => [id, name])).toEqual([
      ['0000:a0:00.0', 'NVIDIA Pretence 0'],
      ['0000:03:00.0', 'AMD Radeon ™ Stand-in'],
    ]);
    expect(gpus[0]).toMatchObject({ core_load: 73, memory_load: 21, power_usage: 74.32, temperature: 27 });
    expect(gpus[1]).toMatchObject({
      core_clock: 2105,
      memory_clock: 2000,
      temperature: 61.5,
      // Of the three segments the two that are its own: 512 and 1024 MiB.
      memory_total: 8192,
      memory_used: 1536,
      memory_free: 6656,
      memory_load: null,
      power_usage: null,
      fan_speed: null,
    });
    expect(unexplained(gpus, reasons)).toEqual([]);
  });

  test('the load is that of the busiest engine', async () => {
    // Half of the time, as far as two clocks agree on a busy machine.
    await until(async () => {
      const load = (await read(hostler)).gpus[1]?.core_load ?? 0;
      return load > 45 && load < 55 ? true : null;
    });
  });

  test('values that the NVIDIA library no longer provides come from Windows', async () => {
    // Every reading reports a lost GPU, and the driver does not start again.
    say('9 0 -1 15 0\n');
    try {
      const { gpus, reasons } = await until(async () => {
        const now = await read(hostler);
        return now.gpus.some(({ name }) => name === 'NVIDIA Stand-in of DirectX') ? now : null;
      }, 60_000);
      const gpu = gpus.find(({ id }) => id === '0000:a0:00.0');
      expect(gpu).toMatchObject({ memory_total: 4096, memory_used: 1536, power_usage: null });
      expect(gpus).toHaveLength(2);
      const why = reasons.filter(({ field }) => field === '[].power_usage').map(({ reason }) => reason);
      expect(why.join('\n')).toContain('NVIDIA Stand-in of DirectX: The NVIDIA driver is not loaded');
    } finally {
      say('0 1 -1 0 0\n');
    }
  });
});
