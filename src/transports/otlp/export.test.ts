import { describe, expect, test } from 'bun:test';
import { fakeHost } from '../../../test/doubles/fake-host.ts';
import type { ModuleDefinition } from '../../core/module.ts';
import { counter, gauge, info, type Metric } from '../../core/readings/metrics.ts';
import type { Store } from '../../core/store.ts';
import { modules } from '../../features/index.ts';
import { encodeJson } from './encode-json.ts';
import { createExports, type OtlpExport } from './export.ts';
import { encodeProtobuf } from './start.ts';

/** The names of all real modules, over the metrics of a test. */
async function exporter(now: { metrics: Metric[] }, patience?: number) {
  const host = fakeHost({ environment: { machine: 'aarch64' } });
  const named = modules.filter(({ otlp }) => otlp !== undefined).map(({ name, otlp }) => ({ ...given(name), otlp }));
  const source: ModuleDefinition = { ...given('given'), metrics: async () => ({ read: () => now.metrics }) };
  const store = { get: async () => ({ payload: null }), costs: () => [] } as unknown as Store;
  const all = [source, ...named] as ModuleDefinition[];
  const parts = { modules: all, store, host, version: '6.0.0', log: { debug: () => {} } };
  return { collect: await createExports(parts, patience), clock: host.clock };
}

const given = (name: string): ModuleDefinition => ({
  name,
  description: name,
  schema: () => Promise.reject(new Error('not needed')),
  everyMs: 1000,
  empty: null,
  sources: {},
});

const metricOf = ({ metrics }: OtlpExport, name: string) => metrics.find((metric) => metric.name === name);
const pointsOf = (found: OtlpExport, name: string) =>
  metricOf(found, name)?.points.map(({ attributes, value }) => [attributes, value]) ?? [];
const boot = Date.UTC(2025, 11, 31) / 1000;

describe('the OTLP resource', () => {
  const machine = info('hostler_machine', '', { uuid: 'u-1', hostname: 'pc' });
  const numbers = [
    gauge('node_boot_time_seconds', '', boot),
    counter('node_cpu_seconds', '', [[{ cpu: '0', mode: 'user' }, 1]]),
  ];

  test('is known before the first export, and stays the same when its module does not answer in time', async () => {
    const now = { metrics: numbers.slice(1) };
    const { collect } = await exporter(now, 3);
    await expect(collect()).rejects.toThrow('not identified this machine');
    now.metrics = [...numbers, machine];
    const named = await collect();
    expect(named.resource).toMatchObject({ 'host.id': 'u-1', 'service.instance.id': 'u-1', 'host.name': 'pc' });
    // Failed exports do not move the start of the counters.
    expect(metricOf(named, 'system.cpu.time')?.points[0]?.sinceMs).toBe(boot * 1000);
    now.metrics = numbers.slice(1);
    expect((await collect()).resource).toEqual(named.resource);
  });

  test('without a name is exported after the last retry', async () => {
    const { collect } = await exporter({ metrics: numbers }, 3);
    for (let round = 0; round < 3; round++) await expect(collect()).rejects.toThrow('not identified this machine');
    expect((await collect()).resource).not.toHaveProperty('host.id');
  });
});

describe('OpenTelemetry metrics', () => {
  test('have the values of our metrics', async () => {
    const { collect } = await exporter({
      metrics: [
        counter('node_cpu_seconds', '', [
          [{ cpu: '0', mode: 'user' }, 10],
          [{ cpu: '0', mode: 'irq' }, 1],
          [{ cpu: '1', mode: 'user' }, 5],
        ]),
        gauge('node_boot_time_seconds', '', boot),
        gauge('node_memory_MemTotal_bytes', '', 1000),
        gauge('node_memory_MemAvailable_bytes', '', 400),
        gauge('node_filesystem_size_bytes', '', [[{ device: 'a', fstype: 'ext4', mountpoint: '/' }, 100]]),
        gauge('node_filesystem_free_bytes', '', [[{ device: 'a', fstype: 'ext4', mountpoint: '/' }, 30]]),
        gauge('node_filesystem_avail_bytes', '', [[{ device: 'a', fstype: 'ext4', mountpoint: '/' }, 25]]),
        counter('node_network_receive_bytes', '', [[{ device: 'eth0' }, 7]]),
        gauge('hostler_connections', '', [
          [{ status: 'SYN_RECV' }, 2],
          [{ status: 'NONE' }, 3],
        ]),
        gauge('hostler_processes', '', [
          [{ status: 'sleeping' }, 4],
          [{ status: 'idle' }, 5],
          [{ status: 'zombie' }, 1],
        ]),
        gauge('hostler_battery_charge_ratio', '', 0.5),
        gauge('hostler_battery_charging', '', false),
        gauge('hostler_battery_remaining_seconds', '', 60),
        gauge('hostler_gpu_temperature_celsius', '', [[{ gpu: '0000:01:00.0', name: 'A' }, 50]]),
        gauge('hostler_temperature_celsius', '', [[{ sensor: 'k10temp' }, 40]]),
        gauge('hostler_fan_speed_rpm', '', [[{ fan: 'f1', name: 'chip', label: '' }, 900]]),
        info('hostler_machine', '', {
          hostname: 'pc',
          platform: 'Debian',
          platform_version: '12',
          kernel: '',
          uuid: 'u-1',
        }),
      ],
    });
    const found = await collect();
    expect(found.resource).toEqual({
      'service.name': 'hostler',
      'service.version': '6.0.0',
      'service.instance.id': 'u-1',
      'host.id': 'u-1',
      'host.name': 'pc',
      'host.arch': 'arm64',
      'os.type': 'linux',
      'os.name': 'Debian',
      'os.version': '12',
    });
    expect(pointsOf(found, 'system.cpu.time')).toEqual([
      [{ 'cpu.logical_number': 0, 'cpu.mode': 'user' }, 10],
      [{ 'cpu.logical_number': 0, 'cpu.mode': 'interrupt' }, 1],
      [{ 'cpu.logical_number': 1, 'cpu.mode': 'user' }, 5],
    ]);
    expect(pointsOf(found, 'system.cpu.logical.count')).toEqual([[{}, 2]]);
    expect(pointsOf(found, 'system.uptime')).toEqual([[{}, 86_400]]);
    expect(pointsOf(found, 'system.memory.usage')).toEqual([[{ 'system.memory.state': 'used' }, 600]]);
    expect(pointsOf(found, 'system.memory.utilization')).toEqual([[{ 'system.memory.state': 'used' }, 0.6]]);
    const place = {
      'system.device': 'a',
      'system.filesystem.mountpoint': '/',
      'system.filesystem.type': 'ext4',
      'system.filesystem.mode': 'rw',
    };
    expect(pointsOf(found, 'system.filesystem.usage')).toEqual([
      [{ ...place, 'system.filesystem.state': 'used' }, 70],
      [{ ...place, 'system.filesystem.state': 'free' }, 25],
      [{ ...place, 'system.filesystem.state': 'reserved' }, 5],
    ]);
    expect(pointsOf(found, 'system.network.io')).toEqual([
      [{ 'network.interface.name': 'eth0', 'network.io.direction': 'receive' }, 7],
    ]);
    expect(pointsOf(found, 'system.network.connection.count')).toEqual([
      [{ 'network.transport': 'tcp', 'network.connection.state': 'syn_received' }, 2],
      [{ 'network.transport': 'udp' }, 3],
    ]);
    expect(pointsOf(found, 'system.process.count')).toEqual([
      [{ 'process.state': 'sleeping' }, 9],
      [{ 'process.state': 'defunct' }, 1],
    ]);
    expect(pointsOf(found, 'hw.battery.time_left')).toEqual([[{ 'hw.id': 'battery', 'hw.state': 'discharging' }, 60]]);
    // Two modules share one metric name.
    expect(pointsOf(found, 'hw.temperature')).toHaveLength(2);
    expect(pointsOf(found, 'hw.fan.speed')).toEqual([[{ 'hw.id': 'f1', 'hw.name': 'chip' }, 900]]);
  });

  test('report the CPU time since the last export as a share of all CPUs', async () => {
    const now = { metrics: times(100, 300) };
    const { collect } = await exporter(now);
    expect(metricOf(await collect(), 'system.cpu.utilization')).toBeUndefined();
    now.metrics = times(103, 309);
    expect(pointsOf(await collect(), 'system.cpu.utilization')).toEqual([
      [{ 'cpu.mode': 'user' }, 0.25],
      [{ 'cpu.mode': 'idle' }, 0.75],
    ]);
    // A core went offline: a lower counter is not elapsed time.
    now.metrics = times(50, 310);
    expect(pointsOf(await collect(), 'system.cpu.utilization')).toEqual([
      [{ 'cpu.mode': 'user' }, 0],
      [{ 'cpu.mode': 'idle' }, 1],
    ]);
  });

  test('leave out unknown values and values that are not numbers', async () => {
    const { collect } = await exporter({ metrics: [gauge('node_memory_MemTotal_bytes', '', Number.NaN)] });
    expect((await collect()).metrics).toEqual([]);
  });
});

const times = (user: number, idle: number) => [
  counter('node_cpu_seconds', '', [
    [{ cpu: '0', mode: 'user' }, user],
    [{ cpu: '0', mode: 'idle' }, idle],
  ]),
];

test('a counter starts at boot, restarts when its value falls, and ignores changes of the wall clock', async () => {
  const sent = (value: number, booted = boot) => [
    counter('node_network_transmit_bytes', '', [[{ device: 'eth0' }, value]]),
    gauge('node_boot_time_seconds', '', booted),
  ];
  const now = { metrics: sent(100) };
  const { collect, clock } = await exporter(now);
  const since = async () => metricOf(await collect(), 'system.network.io')?.points[0]?.sinceMs;
  expect(await since()).toBe(boot * 1000);
  const last = clock.now() + 60_000;
  clock.advance(60_000);
  now.metrics = sent(150, boot + 3600);
  expect(await since()).toBe(boot * 1000);
  clock.advance(60_000);
  now.metrics = sent(10);
  expect(await since()).toBe(last);
  clock.advance(60_000);
  now.metrics = sent(20);
  expect(await since()).toBe(last);
});

describe('the OTLP encoding', () => {
  const found: OtlpExport = {
    resource: { 'service.name': 'hostler', odd: 'ä\ud800"\n' },
    version: '6.0.0',
    atMs: 1_794_883_267_567,
    metrics: [
      {
        name: 'a',
        unit: 'By',
        kind: 'counter',
        isWhole: true,
        points: [{ attributes: { n: 300 }, value: 2 ** 53 - 1, sinceMs: 1 }],
      },
      { name: 'b', unit: '1', kind: 'gauge', isWhole: false, points: [{ attributes: {}, value: -0.5, sinceMs: null }] },
      { name: 'c', unit: '1', kind: 'sum', isWhole: true, points: [{ attributes: {}, value: 3.7, sinceMs: 5 }] },
    ],
  };

  test('JSON writes 64-bit numbers as strings', () => {
    const [{ scopeMetrics }] = JSON.parse(encodeJson(found)).resourceMetrics;
    expect(scopeMetrics[0].metrics).toEqual([
      {
        name: 'a',
        unit: 'By',
        sum: {
          aggregationTemporality: 2,
          isMonotonic: true,
          dataPoints: [
            {
              attributes: [{ key: 'n', value: { intValue: '300' } }],
              startTimeUnixNano: '1000000',
              timeUnixNano: '1794883267567000000',
              asInt: '9007199254740991',
            },
          ],
        },
      },
      {
        name: 'b',
        unit: '1',
        gauge: { dataPoints: [{ attributes: [], timeUnixNano: '1794883267567000000', asDouble: -0.5 }] },
      },
      {
        name: 'c',
        unit: '1',
        sum: {
          aggregationTemporality: 2,
          isMonotonic: false,
          dataPoints: [
            { attributes: [], startTimeUnixNano: '5000000', timeUnixNano: '1794883267567000000', asInt: '3' },
          ],
        },
      },
    ]);
  });

  test('protobuf output matches the bytes that other decoders accepted', () => {
    // test/real/tests/otlp.test.ts decodes it with Google's library and VictoriaMetrics.
    const one: OtlpExport = { ...found, resource: { n: 300 }, metrics: found.metrics.slice(1, 2) };
    expect(Buffer.from(encodeProtobuf(one)).toString('hex')).toBe(
      [
        '0a67', // resource_metrics
        '0a0a0a080a016e120318ac02', // resource: n = 300
        '1230', // scope_metrics
        '0a100a07686f73746c65721205362e302e30', // hostler 6.0.0
        '121c0a01621a0131', // metric b in 1
        '2a140a1219c0999f78d2b4e81821000000000000e0bf', // gauge: the time, -0.5
        '1a2768747470733a2f2f6f70656e74656c656d657472792e696f2f736368656d61732f312e34342e30', // schema_url
      ].join(''),
    );
  });

  test('the writer grows for thousands of points', () => {
    const points = Array.from({ length: 5000 }, (_, index) => ({
      attributes: { 'cpu.logical_number': index },
      value: index,
      sinceMs: 1,
    }));
    const [, second = found.metrics[0]] = found.metrics;
    if (second === undefined) throw new Error('there are three');
    const bytes = encodeProtobuf({ ...found, metrics: [{ ...second, points }] });
    expect(bytes.length).toBeGreaterThan(200_000);
    expect(bytes[0]).toBe(0x0a);
  });
});
