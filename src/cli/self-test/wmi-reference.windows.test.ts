import { expect, test } from 'bun:test';
import type { WmiValue } from '../../host/windows/com/wmi.ts';
import { askWmiWitness } from './wmi-reference.windows.ts';

type Rows = Record<string, Record<string, WmiValue>[]>;

/** A WMI that knows these classes. */
const ask = (rows: Rows) => {
  const list = async (_namespace: string, name: string) => rows[name] ?? null;
  return askWmiWitness({ nativeElsewhere: (() => ({ list })) as never });
};

test('values of WMI are found in our payloads', async () => {
  const facts = await ask({
    // Numbers of 64 bits are texts.
    Win32_OperatingSystem: [{ TotalVisibleMemorySize: '1024', FreePhysicalMemory: '512', Version: '10.0.22631' }],
    Win32_ComputerSystem: [{ Name: 'DESK', NumberOfLogicalProcessors: 8, Manufacturer: ' ', Model: null }],
    Win32_LogicalDisk: [
      { DeviceID: 'C:', DriveType: 3, FileSystem: 'NTFS', Size: '1000', FreeSpace: '10' },
      { DeviceID: 'D:', DriveType: 5, FileSystem: null, Size: null, FreeSpace: null },
    ],
    Win32_Process: [{ ProcessId: process.pid, Name: 'hostler.exe' }],
    Win32_NetworkAdapter: [{ MACAddress: '02:FC:00:00:00:01', PhysicalAdapter: true, NetEnabled: true }],
  });
  const partition = { mount_point: 'C:\\', filesystem_type: 'NTFS', usage: { total: 1000, free: 10 } };
  const payloads: Record<string, unknown> = {
    memory: { virtual: { total: 1024 * 1024, available: 512 * 1024 } },
    system: { kernel_version: '10.0.22631', hostname: 'Desk' },
    cpu: { count: 8 },
    disks: { devices: [{ partitions: [partition] }] },
    processes: [{ id: process.pid, name: 'hostler.exe' }],
    networks: { networks: [{ addresses: [{ address: '02:fc:00:00:00:01' }] }] },
  };
  expect(facts.map(({ field, theirs, pick, module }) => [field, pick(payloads[module]), theirs])).toEqual(
    facts.map(({ field, theirs }) => [field, theirs, theirs]),
  );
  expect(facts.map(({ module, field }) => `${module} ${field}`)).toEqual([
    'memory total',
    'memory available',
    'system kernel_version',
    'system hostname',
    'cpu count',
    'disks C: filesystem_type',
    'disks C: total',
    'disks C: free',
    'processes how many',
    'processes name of this process',
    'networks address of card 1',
  ]);
});

test('names and addresses are compared without being named', async () => {
  const facts = await ask({
    Win32_ComputerSystem: [{ Name: 'LONG-NAME-OF-A-' }],
    Win32_NetworkAdapter: [{ MACAddress: '02:FC:00:00:00:01', PhysicalAdapter: true, NetEnabled: true }],
  });
  const [name, card] = facts;
  const named = (hostname: string) => name?.pick({ hostname });
  expect(['long-name-of-a-desk.example.org', 'long-name'].map(named)).toEqual(['the same', 'another']);
  expect(card?.pick({ networks: [{ addresses: [{ address: '02-FC-00-00-00-02' }] }] })).toBe('unknown');
  expect(JSON.stringify(facts)).not.toMatch(/LONG|02:fc/i);
});

test('an empty WMI gives no values, and invalid payloads have none', async () => {
  expect(await ask({})).toEqual([]);
  const [fact] = await ask({ Win32_Process: [{ ProcessId: 1, Name: 'x' }] });
  for (const payload of [null, undefined, 5, 'x', {}]) expect(fact?.pick(payload)).toBeUndefined();
});
