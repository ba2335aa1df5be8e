// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import type { Sensors } from '../../../src/features/sensors/sensors.schema.ts';
import { until } from '../harness/service.ts';
import { needsWine, startWineHostler, type WineHostler } from '../harness/wine.ts';
import { wineLibrary, wineProgram } from '../harness/wine-standin.ts';

setDefaultTimeout(240_000);

describe.skipIf(!needsWine())('fan controllers of Windows, with stand-ins for two libraries and a program', () => {
  let hostler: WineHostler;
  beforeAll(async () => {
    const parts = [
      wineLibrary('fake-hid', 'cfgmgr32.dll'),
      wineLibrary('fake-hid', 'hid.dll'),
      wineProgram('fake-cooler'),
    ];
    hostler = await startWineHostler({
      mounts: parts.flatMap(({ mounts = [] }) => mounts),
      environment: { WINEDLLOVERRIDES: 'cfgmgr32,hid=n' },
    });
  });
  afterAll(() => hostler?.stop());

  const sensors = async () => (await (await hostler.get('/api/data/sensors')).json()) as Sensors;
  const start = () => hostler.beside("(wine 'C:\\standins\\fake-cooler.exe' > /dev/null 2>&1 &)");
  const fanOf = async () => (await sensors()).fans.find(({ label }) => label === 'Pump') ?? null;

  test('a controller without access is reported, and is not a fan', async () => {
    expect((await sensors()).fans).toEqual([]);
    const modules = (await (await hostler.get('/api/modules')).json()) as {
      name: string;
      reasons: { reason: string }[];
    }[];
    const reasons = modules.find(({ name }) => name === 'sensors')?.reasons.map(({ reason }) => reason) ?? [];
    expect(reasons.join()).toContain('does not let this account use NZXT Kraken X3');
  });

  test('a cooler is initialised, and its pump and its liquid are read', async () => {
    await start();
    const fan = await until(fanOf, 120_000);
    expect(fan).toMatchObject({ name: 'NZXT Kraken X3', label: 'Pump', speed_rpm: 1704 });
    const { temperatures, windows_sensors: tree } = await sensors();
    expect(temperatures).toContainEqual(expect.objectContaining({ temperature: 33.1 }));
    expect(tree).toMatchObject({
      hardware: expect.arrayContaining([expect.objectContaining({ name: 'NZXT Kraken X3' })]),
    });
    // With the report length that the device declares, including the report number.
    const received = await hostler.beside('cat /w/pfx/drive_c/standins/cooler.txt');
    expect(received).toContain('64 bytes: 70 02 01 b8 03');
    expect(received).toContain('64 bytes: 70 01 00 00 00');
  });

  test('a controller that was unplugged is removed, and is read again when it is back', async () => {
    await hostler.beside('wine taskkill /f /im fake-cooler.exe');
    await until(async () => ((await fanOf()) === null ? true : null), 120_000);
    await start();
    expect(await until(fanOf, 120_000)).toMatchObject({ speed_rpm: 1704 });
  });
});
