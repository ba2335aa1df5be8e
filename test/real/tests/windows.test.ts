// tier: full
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import os from 'node:os';
import type { Reason } from '../../../src/core/reasons.ts';
import type { Cpu } from '../../../src/features/cpu/cpu.schema.ts';
import type { Disks } from '../../../src/features/disks/disks.schema.ts';
import { modules } from '../../../src/features/index.ts';
import type { Memory } from '../../../src/features/memory/memory.schema.ts';
import type { Networks } from '../../../src/features/networks/networks.schema.ts';
import type { Process } from '../../../src/features/processes/processes.schema.ts';
import type { System } from '../../../src/features/system/system.schema.ts';
import { unexplained } from '../../harness/machines.ts';
import { until } from '../harness/service.ts';
import { needsWine, startWine, startWineHostler, type WineHostler } from '../harness/wine.ts';

setDefaultTimeout(180_000);

describe.skipIf(!needsWine())('the Windows build under Wine', () => {
  let hostler: WineHostler;

  beforeAll(async () => {
    hostler = await startWineHostler();
  });
  afterAll(() => hostler.stop());

  const data = async <T>(name: string): Promise<T> => {
    const answer = await hostler.get(`/api/data/${name}`);
    const text = await answer.text();
    if (answer.status !== 200) throw new Error(`${name}: ${answer.status} ${text}`);
    return JSON.parse(text) as T;
  };

  test.each(modules.map((definition) => [definition.name, definition] as const))(
    'the module %s matches its schema, and every null has a reason',
    async (name, definition) => {
      const answer = await hostler.get(`/api/data/${name}`);
      const states = (await (await hostler.get('/api/modules')).json()) as { name: string; reasons: Reason[] }[];
      const reasons = states.find((state) => state.name === name)?.reasons ?? [];
      if (answer.status === 404) return expect(reasons.filter(({ field }) => field === null)).not.toEqual([]);
      const payload = await data<unknown>(name);
      (await definition.schema()).parse(payload);
      expect(unexplained(payload, reasons)).toEqual([]);
    },
  );

  test('the memory matches the host', async () => {
    const { virtual } = await data<Memory>('memory');
    const [, kilobytes] = /MemTotal:\s+(\d+)/.exec(fs.readFileSync('/proc/meminfo', 'utf8')) ?? [];
    // Wine counts in its own pages.
    expect(Math.abs((virtual.total ?? 0) - 1024 * Number(kilobytes))).toBeLessThan(65_536);
    expect(virtual.available).toBeGreaterThan(0);
    expect(virtual.available).toBeLessThan(virtual.total ?? 0);
  });

  test('the processors match the host', async () => {
    const cpu = await data<Cpu>('cpu');
    const lines = fs.readFileSync('/proc/stat', 'utf8').match(/^cpu\d+ .*$/gm) ?? [];
    expect(cpu.count).toBe(lines.length);
    const [, , , , idle] = (/^cpu .*/m.exec(fs.readFileSync('/proc/stat', 'utf8'))?.[0] ?? '').split(/\s+/).map(Number);
    expect(Math.abs((cpu.times.idle ?? 0) - (idle ?? 0) / 100)).toBeLessThan(60);
    expect(cpu.usage).toBeGreaterThanOrEqual(0);
    expect(cpu.load_average).toBeNull();
  });

  test('the processes are those of Wine, this service among them', async () => {
    const processes = await data<Process[]>('processes');
    const own = processes.find(({ name }) => name === 'hostler.exe');
    expect(own?.path).toBe('C:\\hostler\\hostler.exe');
    expect(own?.working_directory).toBe('C:\\hostler\\');
    expect(own?.username).toMatch(/\\root$/);
    expect(Math.abs((own?.created ?? 0) - Date.now() / 1000)).toBeLessThan(600);
    expect(own?.memory_usage).toBeGreaterThan(0);
    expect(processes.map(({ name }) => name)).toContain('services.exe');
  });

  test('the connections are ours, with the process that holds them', async () => {
    const own = (await data<Process[]>('processes')).find(({ name }) => name === 'hostler.exe');
    const { connections, networks } = await data<Networks>('networks');
    const listening = connections.find(({ laddr }) => laddr === `127.0.0.1:${hostler.port}`);
    expect(listening).toMatchObject({ status: 'LISTEN', raddr: null, pid: own?.id ?? 0, family: 2, type: 1 });
    const loopback = networks.find(({ addresses }) => addresses.some(({ address }) => address === '127.0.0.1'));
    expect(loopback?.stats.flags).toContain('loopback');
  });

  test('the disk usage matches the host', async () => {
    const { devices } = await data<Disks>('disks');
    const drive = devices.flatMap(({ partitions }) => partitions).find(({ mount_point }) => mount_point === 'Z:\\');
    const { blocks, bsize } = fs.statfsSync('/');
    expect(drive?.usage?.total).toBe(blocks * bsize);
  });

  test('the system is Windows, with the name of the machine', async () => {
    const system = await data<System>('system');
    expect(system.platform).toMatch(/^Windows/);
    expect(system.kernel_version).toMatch(/^10\.0\.\d+$/);
    expect(system.uuid).toMatch(/^[0-9a-f-]{36}$/);
    expect(system.users.map(({ name }) => name)).toEqual(['root']);
    const up = Number(fs.readFileSync('/proc/uptime', 'utf8').split(' ')[0]);
    expect(Math.abs((system.uptime ?? 0) - up)).toBeLessThan(60);
  });

  test('the self-test compares with WMI: values that Wine has in both agree, and differences are named', async () => {
    const said = await hostler.beside('(cd /w/pfx/drive_c; wine hostler/hostler.exe self-test windows; echo "rc $?")');
    const same = [
      'memory +total',
      'memory +available',
      'system +kernel_version',
      'cpu +count',
      'disks +C: free',
      'processes +how many',
      'action +power.pending',
      'action +files.directories',
    ];
    for (const line of same) expect(said).toMatch(new RegExp(`^${line} .* ok *$`, 'm'));
    // The WMI of Wine invents a manufacturer, which its firmware does not have.
    expect(said).toMatch(/^system +manufacturer +missing +The Wine Project +DIFFERS/m);
    expect(said).toContain('Different from Windows: ');
    expect(said).toContain('rc 1');
    const report = fs.readFileSync(hostler.drive('hostler-self-test.txt'), 'utf8');
    expect(report).toMatch(/^memory +total .* ok\r$/m);
    // Every module, what the actions need, and the log.
    expect(report).toMatch(/✓ memory +available/);
    expect(report).toContain('✗ screen.capture');
    expect(report).toContain('Last lines of the log');
    for (const secret of [os.hostname(), hostler.token]) expect(report).not.toContain(secret);
  });

  test('its metrics are available under the names of windows_exporter', async () => {
    const text = await (await hostler.get('/metrics')).text();
    const { virtual } = await data<Memory>('memory');
    expect(text).toContain(`windows_memory_physical_total_bytes ${virtual.total}`);
    expect(text).toMatch(/^windows_cpu_time_total\{core="0,0",mode="idle"\} \d/m);
    expect(text).toMatch(/^windows_logical_disk_size_bytes\{volume="C:"\} \d/m);
    expect(text).toMatch(/^windows_system_boot_time_timestamp \d/m);
    expect(text).toMatch(/^windows_system_processes \d/m);
    expect(text).toMatch(/^windows_net_bytes_received_total\{nic="[^"]+"\} \d/m);
    expect(text).toMatch(/^windows_os_hostname\{hostname="[^"]+",fqdn="[^"]*",domain="[^"]*"\} 1$/m);
    expect(text).toMatch(/^windows_os_info\{product="[^"]+",version="10\.0\.\d+",major_version="10",/m);
  });

  test('its commands reach it: data by HTTP, actions by the pipe', async () => {
    const memory = await hostler.beside('wine hostler.exe data memory --json 2>/dev/null');
    expect(JSON.parse(memory)).toHaveProperty('virtual.total');
    const refused = await hostler.beside('wine hostler.exe power cancel');
    // Reported by the service itself: the command alone would report that none runs.
    expect(refused).toContain('No power order is pending, so there is nothing to cancel');
    expect(hostler.output()).not.toContain('cannot reach this service');
  });
});

describe.skipIf(!needsWine())('the Windows build in a network', () => {
  test('is found by another Hostler, and writes its log to a file', async () => {
    const service = 'wine hostler.exe serve --port 9171 & sleep 6';
    const look = 'for i in 1 2 3 4 5 6; do wine hostler.exe discover; done; echo looked enough; sleep 1';
    const wine = startWine(`${service}; ${look}`, { alone: true, environment: { SERVICE_HOST: '0.0.0.0' } });
    await until(() => (wine.output().includes('looked enough') || !wine.isRunning() ? true : null), 170_000);
    const output = wine.output();
    const log = fs.readFileSync(wine.changed('users/root/AppData/Local/hostler/hostler.log'), 'utf8');
    await wine.stop();
    expect(log).toContain('discovery: found on the network');
    expect(output).toContain('192.0.2.77');
    expect(output).toContain('9171');
  });
});
