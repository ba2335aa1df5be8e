// tier: full
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import { otlpSettings } from '../harness/otlp-receiver.ts';
import { runHostler, startHostler, until } from '../harness/service.ts';
import { lacksVictoriaMetrics, startVictoriaMetrics } from '../harness/victoria-metrics.ts';

setDefaultTimeout(300_000);

const lacks = lacksVictoriaMetrics();
if (lacks !== null) console.warn(`skipped: VictoriaMetrics: ${lacks}`);

describe.skipIf(lacks !== null)('VictoriaMetrics', () => {
  test('stores the metrics of the machine under their conventional names', async () => {
    await using victoria = await startVictoriaMetrics();
    await using hostler = await startHostler({ prepare: otlpSettings({ endpoint: victoria.endpoint }) });
    const names = await until(async () => {
      const found = await victoria.names();
      return found.includes('system.cpu.utilization') && found.includes('system.process.count') ? found : null;
    }, 120_000);
    expect(names).toEqual(
      expect.arrayContaining([
        'system.uptime',
        'system.cpu.time',
        'system.cpu.logical.count',
        'system.memory.usage',
        'system.memory.limit',
        'system.memory.utilization',
        'system.filesystem.usage',
        'system.filesystem.utilization',
        'system.filesystem.limit',
        'system.network.io',
        'system.network.packet.count',
        'system.network.packet.dropped',
        'system.network.errors',
        'system.network.connection.count',
        'system.process.count',
      ]),
    );
    const limit = await until(async () => (await victoria.samples('{__name__="system.memory.limit"}'))[0] ?? null);
    const kilobytes = /^MemTotal:\s+(\d+)/.exec(fs.readFileSync('/proc/meminfo', 'utf8'))?.[1];
    expect(limit.values[0]).toBe(Number(kilobytes) * 1024);
    const { uuid } = (await (await hostler.get('/api/data/system')).json()) as { uuid: string };
    expect(limit.metric).toMatchObject({
      'service.name': 'hostler',
      'service.instance.id': uuid,
      'host.id': uuid,
      'os.type': 'linux',
    });
    const [uptime] = await victoria.samples('{__name__="system.uptime"}');
    expect(Math.abs((uptime?.values.at(-1) ?? 0) - os.uptime())).toBeLessThan(120);
    // Names are indexed a moment before the numbers.
    const shares = await until(async () => {
      const found = await victoria.samples('{__name__="system.cpu.utilization"}');
      return found.length >= 4 ? found : null;
    });
    expect(shares.reduce((all, { values }) => all + (values[0] ?? 0), 0)).toBeCloseTo(1, 5);
    const doctor = await runHostler(['doctor'], { directory: hostler.directory });
    expect(doctor.stdout).toMatch(/✓ otlp +http:\/\/127\.0\.0\.1:\d+; last sent \d+ s ago/);
  });
});
