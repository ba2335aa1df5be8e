// tier: full
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import path from 'node:path';
import type { Battery } from '../../../src/features/battery/battery.schema.ts';
import { hasNut, startNut } from '../harness/nut.ts';
import { startHostler, until } from '../harness/service.ts';

setDefaultTimeout(120_000);

const mains = {
  'ups.mfr': 'APC',
  'ups.model': 'Back-UPS ES',
  'ups.status': 'OL',
  'battery.charge': '98',
  'battery.runtime': '1800',
  'ups.load': '12',
  'input.voltage': '231.4',
};

describe.skipIf(!hasNut())('a UPS of the real upsd', () => {
  test('is listed, raises an alert on battery, and survives a upsd that hangs and one that restarts', async () => {
    await using nut = await startNut(mains);
    await using hostler = await startHostler({
      prepare(directory) {
        const settings = {
          battery: { nut: nut.address },
          history: { interval: 5 },
          alerts: {
            rules: [
              { id: 'power', when: { event: 'ups_on_battery' }, notify: [] },
              { id: 'charge', when: { series: 'ups.charge', below: 50 }, notify: [] },
            ],
          },
        };
        fs.mkdirSync(path.join(directory, 'config'), { recursive: true, mode: 0o700 });
        fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
      },
    });
    const desk = async () => {
      const { devices } = (await (await hostler.get('/api/data/battery')).json()) as Battery;
      return devices.find(({ id }) => id === 'nut_desk') ?? null;
    };
    const isState = (state: string | null) =>
      until(async () => {
        const found = await desk();
        return found?.ups !== undefined && found.ups.state === state ? found : null;
      });
    const alert = async (state: string, at = 0) =>
      await until(async () => {
        const { alerts } = (await (await hostler.get('/api/alerts')).json()) as { alerts: { state: string }[] };
        return alerts[at]?.state === state ? true : null;
      });
    expect(await isState('on_line')).toEqual({
      id: 'nut_desk',
      name: 'APC Back-UPS ES',
      kind: 'ups',
      percentage: 98,
      level: null,
      is_charging: null,
      ups: {
        state: 'on_line',
        low_battery: false,
        replace_battery: false,
        load: 12,
        time_remaining: 1800,
        input_voltage: 231.4,
      },
    });
    await alert('ok');
    await alert('ok', 1);
    nut.set({ ...mains, 'ups.status': 'OB DISCHRG LB RB', 'battery.charge': '7' });
    expect(await isState('on_battery')).toMatchObject({
      percentage: 7,
      is_charging: false,
      ups: { low_battery: true, replace_battery: true },
    });
    await alert('active');
    await alert('active', 1);
    const metrics = await (await hostler.get('/metrics')).text();
    expect(metrics).toContain('hostler_ups_state{device="nut_desk",name="APC Back-UPS ES",state="on_battery"} 1');
    expect(metrics).toContain('hostler_ups_load_ratio{device="nut_desk",name="APC Back-UPS ES"} 0.12');

    nut.signal('SIGSTOP');
    await isState(null);
    nut.signal('SIGCONT');
    await isState('on_battery');
    await nut.stopServer();
    await isState(null);
    // Silence is not a recovery.
    await alert('active');
    await nut.startServer();
    await isState('on_battery');
    nut.set(mains);
    await isState('on_line');
  });
});
