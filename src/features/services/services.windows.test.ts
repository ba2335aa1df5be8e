import { describe, expect, test } from 'bun:test';
import { fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { elsewhere } from '../../../test/doubles/recorded-native.ts';
import { readOnce, testEachMachine, unexplained } from '../../../test/harness/machines.ts';
import { joined, structBytes } from '../../../test/harness/struct-bytes.ts';
import type { Native } from '../../host/windows/native/native.ts';
import { SYSTEM_PROCESS_INFORMATION } from '../../host/windows/native/ntdll.structs.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { defaultSettings } from '../index.ts';
import { services } from './services.ts';
import { servicesWindows } from './services.windows.ts';
import { ENUM_SERVICE_STATUS_PROCESSW } from './windows/scm.structs.ts';
import { type ListedService, parseServiceList } from './windows/scm.ts';
import { servicesMetricsWindows } from './windows/services.scrape.ts';

testEachMachine('windows', import.meta.dirname, services.module, servicesWindows);

const service = (name: string, values: Partial<ListedService> = {}): ListedService => ({
  name,
  title: `${name} service`,
  type: 0x10,
  state: 4,
  exitCode: 0,
  specificCode: 0,
  pid: 0,
  ...values,
});
const stopped = { state: 1, exitCode: 1077 };

function machine(list: ListedService[] | null, allowlist: string[] = [], types: Record<string, number> = {}) {
  const current = { list, queried: [] as string[][] };
  const process = structBytes(SYSTEM_PROCESS_INFORMATION, {
    UniqueProcessId: 7,
    CreationTime: 133_000_000_000_000_000,
    UserTime: 1e7,
    KernelTime: 2e7,
    'vmCounters.WorkingSetSize': 4096,
  });
  const native = {
    scm: {
      list: () => current.list,
      stamp: () => JSON.stringify(current.list),
      startTypes: (names: string[]) => {
        current.queried.push(names);
        return names.map((name) => types[name] ?? 3);
      },
    },
    ntdll: { systemInformation: () => ({ at: 0, bytes: process }) },
  } as unknown as Native;
  const parts = { platform: 'windows', native: async () => native, nativeElsewhere: elsewhere(native) };
  const base = fakeHost(parts as never);
  const host = base as unknown as WindowsHost;
  const settings = { ...defaultSettings, services: { allowlist } };
  const source = servicesWindows(host, fakeContext({ settings: () => settings }));
  return { current, source, clock: base.clock, read: async () => await readOnce(source, base.clock) };
}

describe('services of Windows', () => {
  test('use the states of the schema, failed ones first', async () => {
    const { read } = machine(
      [
        service('Running', { pid: 7 }),
        service('b-crashed', { state: 1, exitCode: 1067 }),
        service('A-own', { state: 1, exitCode: 1066, specificCode: 3 }),
        service('Never', stopped),
        service('Ended', { state: 1 }),
        service('Paused', { state: 7 }),
        service('Starting', { state: 2 }),
        service('Odd', { state: 99 }),
      ],
      ['Never'],
      { Running: 2, Never: 4 },
    );
    const { payload, reasons } = await read();
    expect(
      payload?.units.map(({ name, active_state, sub_state, enabled }) => [name, active_state, sub_state, enabled]),
    ).toEqual([
      ['A-own', 'failed', 'own error 3', 'manual'],
      ['b-crashed', 'failed', 'error 1067', 'manual'],
      ['Ended', 'inactive', 'stopped', 'manual'],
      ['Never', 'inactive', 'stopped', 'disabled'],
      ['Odd', 'inactive', 'unknown', 'manual'],
      ['Paused', 'inactive', 'paused', 'manual'],
      ['Running', 'active', 'running', 'enabled'],
      ['Starting', 'activating', 'start pending', 'manual'],
    ]);
    expect(payload).toMatchObject({ manager: 'windows', state: 'degraded' });
    expect(payload?.counts).toEqual({ active: 1, inactive: 4, failed: 2, changing: 1 });
    expect(payload?.units.filter(({ allowed }) => allowed).map(({ name }) => name)).toEqual(['Never']);
    expect(unexplained(payload, reasons)).toEqual([]);
  });

  test('report the usage of their process unless they share it', async () => {
    const alone = (await machine([service('One', { pid: 7 })]).read()).payload?.units[0];
    expect(alone).toMatchObject({ main_pid: 7, memory: 4096, cpu_time: 3, since: 133e8 - 11_644_473_600 });
    const shared = await machine([service('One', { pid: 7 }), service('Two', { pid: 7 })]).read();
    for (const unit of shared.payload?.units ?? [])
      expect(unit).toMatchObject({ main_pid: 7, memory: null, cpu_time: null, since: null });
    expect(unexplained(shared.payload, shared.reasons)).toEqual([]);
  });

  test('that are only templates of per-user services are left out', async () => {
    const { payload } = await machine([
      service('Cd', { type: 0x60 }),
      service('Cd_1f', { type: 0xe0 }),
      service('X'),
    ]).read();
    expect(payload?.units.map(({ name }) => name)).toEqual(['Cd_1f', 'X']);
  });

  test('have titles without control characters', async () => {
    const { payload } = await machine([service('X', { title: `\u001b[31m\u202e${'a'.repeat(10_000)}` })]).read();
    expect(payload?.units[0]?.description).toStartWith('\ufffd[31ma');
    expect(payload?.units[0]?.description.length).toBeLessThan(300);
  });

  test('have their start type queried once, then in rotation and after state changes', async () => {
    const many = Array.from({ length: 100 }, (_, n) => service(`S${n}`));
    const { read, current } = machine(many);
    await read();
    expect(current.queried.map((names) => names.length)).toEqual([100]);
    await read();
    expect(current.queried.at(-1)).toHaveLength(32);
    current.list = many.map((one, n) => (n === 0 ? { ...one, state: 1 } : one));
    await read();
    expect(current.queried.at(-1)).toHaveLength(33);
  });

  test('that are unchanged are the same object', async () => {
    const { read } = machine([service('A'), service('B', stopped)]);
    const first = (await read()).payload?.units;
    const second = (await read()).payload?.units;
    expect(second?.[0]).toBe(first?.[0] as never);
    expect(second?.[1]).toBe(first?.[1] as never);
  });

  test('that change notify watchers; polling stops with the last watcher', async () => {
    const { source, current, clock } = machine([service('A')]);
    let changes = 0;
    const stop = source.watch?.(() => {
      changes += 1;
    });
    const pass = async () => {
      await new Promise((resolve) => setImmediate(resolve));
      clock.advance(2000);
      await new Promise((resolve) => setImmediate(resolve));
    };
    await pass();
    expect(changes).toBe(0);
    current.list = [service('A', { state: 1 })];
    await pass();
    expect(changes).toBe(1);
    stop?.();
    expect(clock.advanceToNext()).toBeFalse();
  });

  test('are null with a reason if the manager does not answer', async () => {
    const { payload, reasons } = await machine(null).read();
    expect(payload).toEqual(services.module.empty);
    expect(reasons).toContainEqual(expect.objectContaining({ field: null, mendable: true }));
  });
});

test('parses a service list with names inside the block and with null pointers', () => {
  const place = 0x10000;
  const text = (value: string) => new Uint8Array(Buffer.from(`${value}\0`, 'utf16le'));
  const at = 2 * ENUM_SERVICE_STATUS_PROCESSW.size;
  const entry = (name: number, title: number) =>
    structBytes(ENUM_SERVICE_STATUS_PROCESSW, {
      lpServiceName: name,
      lpDisplayName: title,
      'ServiceStatusProcess.dwCurrentState': 4,
      'ServiceStatusProcess.dwServiceType': 16,
      'ServiceStatusProcess.dwProcessId': 9,
    });
  const bytes = joined(entry(place + at, place + at + 4), entry(place + at + 8, 0), text('A'), text('T'), text('B'));
  expect(parseServiceList({ at: place, bytes }, 2)).toEqual([
    { name: 'A', title: 'T', type: 16, state: 4, exitCode: 0, specificCode: 0, pid: 9 },
    { name: 'B', title: '', type: 16, state: 4, exitCode: 0, specificCode: 0, pid: 9 },
  ]);
});

test('metrics of services have the names of windows_exporter', async () => {
  const { read } = machine([service('Bad', { state: 1, exitCode: 5 }), service('Good')], [], { Good: 2 });
  const { payload } = await read();
  if (payload === null) throw new Error('there is no payload');
  const metrics = servicesMetricsWindows({} as WindowsHost, payload);
  const ones = metrics.map(({ name, samples }) => [
    name,
    samples.filter(({ value }) => value === 1).map(({ labels }) => Object.values(labels).join(' ')),
  ]);
  expect(ones).toEqual([
    ['windows_service_state', ['Bad stopped', 'Good running']],
    ['windows_service_start_mode', ['Bad manual', 'Good auto']],
  ]);
});
