import { expect, test } from 'bun:test';
import { fakeClock, fakeContext, fakeHost } from '../../../test/doubles/fake-host.ts';
import { nativeOf } from '../../../test/doubles/recorded-native.ts';
import { readOnce, unexplained } from '../../../test/harness/machines.ts';
import { structBytes } from '../../../test/harness/struct-bytes.ts';
import { setPart } from '../../core/part.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { gpusWindows, nvmlWindows } from './gpus.windows.ts';
import {
  D3DKMT_ADAPTER_PERFDATA,
  D3DKMT_ADAPTERADDRESS,
  D3DKMT_NODE_PERFDATA,
  D3DKMT_QUERYSTATISTICS,
} from './windows/d3dkmt.structs.ts';
import type { D3dkmt } from './windows/d3dkmt.ts';
import { DXGI_ADAPTER_DESC1 } from './windows/dxgi.structs.ts';
import { adapterPciAddress } from './windows/gpus.adapters.ts';
import { busiest } from './windows/gpus.kernel.ts';

test('a PCI address has the form of NVIDIA and Linux, and a device on no bus has none', () => {
  const at = (BusNumber: number, DeviceNumber: number, FunctionNumber: number) =>
    adapterPciAddress(structBytes(D3DKMT_ADAPTERADDRESS, { BusNumber, DeviceNumber, FunctionNumber }));
  expect(at(0xa0, 0x1f, 2)).toBe('0000:a0:1f.2');
  expect(at(0, 2, 0)).toBe('0000:00:02.0');
  expect(at(0, 0, 0)).toBeNull();
  expect(at(0xffffffff, 0, 0)).toBeNull();
});

test('the load is that of the busiest engine, also after a driver restart', () => {
  expect(busiest([1, 10], [1.5, 10.75], 1)).toBe(75);
  expect(busiest([5], [0.1], 1)).toBe(0);
  expect(busiest([1], [9], 1)).toBe(100);
  expect(busiest([], [], 1)).toBeNull();
  expect(busiest(undefined, [1], 1)).toBeNull();
});

const adapter = (Description: string, VendorId: number, facts: { memory?: number; flags?: number } = {}) =>
  structBytes(DXGI_ADAPTER_DESC1, {
    Description,
    VendorId,
    DedicatedVideoMemory: facts.memory ?? 0,
    Flags: facts.flags ?? 0,
    AdapterLuid: new Uint8Array([VendorId % 256, 0, 0, 0, 0, 0, 0, 0]),
  });

function machine(adapters: Uint8Array[] | null, d3dkmt: Partial<D3dkmt> = {}, registry: Record<string, string> = {}) {
  const silent: D3dkmt = { statistics: () => null, adapterInfo: () => null, ...d3dkmt };
  const advapi32 = {
    keys: () => (Object.keys(registry).length > 0 ? ['0000', 'Properties'] : []),
    value: (_root: string, _key: string, name: string) => registry[name] ?? null,
    bigValue: () => 2 ** 30,
  };
  const native = { dxgi: { adapters: () => adapters }, d3dkmt: silent, advapi32 };
  const clock = fakeClock(0);
  const nvml = { open: () => Promise.reject(new Error('nvml.dll is missing; install the driver')) };
  const parts = { platform: 'windows', clock, native: nativeOf(native) };
  const host = setPart(fakeHost(parts as never) as unknown as WindowsHost, nvmlWindows, nvml);
  return { host, clock };
}

const readGpus = async (...given: Parameters<typeof machine>) => {
  const { host, clock } = machine(...given);
  const { payload, reasons } = await readOnce(gpusWindows(host, fakeContext()), clock);
  const gpus = payload ?? [];
  expect(unexplained(gpus, reasons)).toEqual([]);
  return { gpus, why: (field: string | null) => reasons.find((reason) => reason.field === field)?.reason ?? '' };
};

const driver = (seconds: () => number): D3dkmt => ({
  statistics(_luid, type, index) {
    if (type === 0)
      return structBytes(D3DKMT_QUERYSTATISTICS, {
        'QueryResult.AdapterInformation.NbSegments': 2,
        'QueryResult.AdapterInformation.NodeCount': 2,
      });
    if (type === 3)
      return structBytes(D3DKMT_QUERYSTATISTICS, {
        'QueryResult.SegmentInformation.BytesResident': 2 ** 29,
        'QueryResult.SegmentInformation.Aperture': index,
      });
    const RunningTime = seconds() * 1e7 * (index === 1 ? 0.25 : 0.1);
    return structBytes(D3DKMT_QUERYSTATISTICS, {
      'QueryResult.NodeInformation.GlobalInformation.RunningTime': Math.round(RunningTime),
    });
  },
  adapterInfo(_luid, type) {
    if (type === 6) return structBytes(D3DKMT_ADAPTERADDRESS, { BusNumber: 3 });
    if (type === 61) return structBytes(D3DKMT_NODE_PERFDATA, { Frequency: 1.5e9 });
    return structBytes(D3DKMT_ADAPTER_PERFDATA, { Temperature: 455, MemoryFrequency: 875e6, Power: 300 });
  },
});

test('the counters of the graphics kernel give dedicated memory, clocks, temperature and load', async () => {
  const clock = { now: 0 };
  const { gpus, why } = await readGpus(
    [adapter('AMD Radeon', 0x1002, { memory: 2 ** 32 })],
    driver(() => (clock.now += 0.05)),
  );
  expect(gpus).toMatchObject([
    {
      id: '0000:03:00.0',
      name: 'AMD Radeon',
      core_clock: 1500,
      memory_clock: 875,
      temperature: 45.5,
      memory_total: 4096,
      memory_used: 512,
      memory_free: 3584,
      power_usage: null,
      memory_load: null,
    },
  ]);
  // Two samples lie 0.1 s apart; the second engine was busy for a quarter of the time.
  expect(gpus[0]?.core_load).toBe(25);
  expect(why('[].power_usage')).toContain('only as a share');
});

test('software adapters and remote displays are no GPUs, and a machine without any says so', async () => {
  const { gpus, why } = await readGpus([adapter('WARP', 0x1414, { flags: 2 }), adapter('Remote', 0x1414)]);
  expect(gpus).toEqual([]);
  expect(why(null)).toBe('This machine has no GPU');
});

test('an adapter without kernel data keeps its name, and two equal ones get different ids', async () => {
  const same = adapter('Intel UHD', 0x8086);
  const { gpus, why } = await readGpus([same, same]);
  expect(gpus.map(({ id }) => id)).toEqual([
    'pci\\ven_8086&dev_0000&subsys_00000000&rev_00',
    'pci\\ven_8086&dev_0000&subsys_00000000&rev_00#1',
  ]);
  expect(why('[].memory_total')).toContain('It uses system memory');
  expect(why('[].core_load')).toContain('names no engines');
});

test("NVIDIA's without its library has the data of Windows, and a hint to the library", async () => {
  const { gpus, why } = await readGpus(
    [adapter('NVIDIA GeForce', 0x10de, { memory: 2 ** 30 })],
    driver(() => 1),
  );
  expect(gpus).toMatchObject([{ id: '0000:03:00.0', memory_used: 512, temperature: 45.5, power_usage: null }]);
  expect(why('[].power_usage')).toContain('nvml.dll is missing');
});

test('without DirectX the adapters come from the registry', async () => {
  const registry = { DriverDesc: 'Matrox G200', MatchingDeviceId: 'PCI\\VEN_102B&DEV_0522' };
  const { gpus, why } = await readGpus(null, {}, registry);
  expect(gpus).toMatchObject([{ id: 'pci\\ven_102b&dev_0522#0000', name: 'Matrox G200', memory_total: 1024 }]);
  expect(why('[].core_load')).toContain('DirectX does not list it');
});
