import type { WmiValue } from '../../host/windows/com/wmi.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { isObject } from '../../lib/values.ts';
import type { WitnessFact } from './witness.ts';

type Row = Record<string, WmiValue>;
type Rows = (className: string, fields: string[]) => Promise<Row[]>;

/** Values of WMI, which queries Windows in other ways than we do; unknown ones are left out. */
export async function askWmiWitness(host: Pick<WindowsHost, 'nativeElsewhere'>): Promise<WitnessFact[]> {
  const wmi = host.nativeElsewhere('wmi');
  const rows: Rows = async (name, fields) => (await wmi.list('ROOT\\CIMV2', name, fields)) ?? [];
  const all = [await machineFacts(rows), await diskFacts(rows), await processFacts(rows), await networkFacts(rows)];
  return all.flat();
}

async function machineFacts(rows: Rows): Promise<WitnessFact[]> {
  const [system = {}] = await rows('Win32_OperatingSystem', [
    'TotalVisibleMemorySize',
    'FreePhysicalMemory',
    'Version',
  ]);
  const [computer = {}] = await rows('Win32_ComputerSystem', [
    'Name',
    'NumberOfLogicalProcessors',
    'Manufacturer',
    'Model',
  ]);
  const [processor = {}] = await rows('Win32_Processor', ['Name', 'MaxClockSpeed']);
  const [battery = {}] = await rows('Win32_Battery', ['EstimatedChargeRemaining']);
  return [
    // Kilobytes; memory reserved by the firmware may be counted or not.
    ...fact('memory', 'total', kilo(system.TotalVisibleMemorySize), 64 * mebi, 'virtual', 'total'),
    ...fact('memory', 'available', kilo(system.FreePhysicalMemory), 512 * mebi, 'virtual', 'available'),
    ...fact('system', 'kernel_version', textOf(system.Version), 0, 'kernel_version'),
    ...hostnameFacts(textOf(computer.Name)),
    ...fact('system', 'manufacturer', textOf(computer.Manufacturer), 0, 'device_info', 'manufacturer'),
    ...fact('system', 'model', textOf(computer.Model), 0, 'device_info', 'model'),
    ...fact('cpu', 'count', numberOf(computer.NumberOfLogicalProcessors), 0, 'count'),
    ...fact('cpu', 'name', textOf(processor.Name), 0, 'name'),
    ...fact('cpu', 'frequency.max', numberOf(processor.MaxClockSpeed), 10, 'frequency', 'max'),
    ...fact('battery', 'percentage', numberOf(battery.EstimatedChargeRemaining), 2, 'percentage'),
  ];
}

async function diskFacts(rows: Rows): Promise<WitnessFact[]> {
  const disks = await rows('Win32_LogicalDisk', ['DeviceID', 'DriveType', 'FileSystem', 'Size', 'FreeSpace']);
  const local = 3;
  return disks
    .filter(({ DriveType }) => numberOf(DriveType) === local)
    .flatMap((row) => {
      const letter = String(row.DeviceID);
      const part = (payload: unknown) =>
        listAt(payload, 'devices')
          .flatMap((device) => listAt(device, 'partitions'))
          .find((partition) => String(at(partition, 'mount_point')).startsWith(letter));
      const own = (field: string, theirs: string | number | null, within: number, ...path: string[]): WitnessFact[] =>
        fact('disks', `${letter} ${field}`, theirs, within).map((found) => ({
          ...found,
          pick: (payload) => at(part(payload), ...path),
        }));
      return [
        ...own('filesystem_type', textOf(row.FileSystem), 0, 'filesystem_type'),
        ...own('total', numberOf(row.Size), 0, 'usage', 'total'),
        ...own('free', numberOf(row.FreeSpace), 256 * mebi, 'usage', 'free'),
      ];
    });
}

async function processFacts(rows: Rows): Promise<WitnessFact[]> {
  const processes = await rows('Win32_Process', ['ProcessId', 'Name']);
  if (processes.length === 0) return [];
  const own = processes.filter(({ ProcessId: id }) => numberOf(id) === process.pid);
  const ourName = (payload: unknown) =>
    at(
      listOf(payload).find((each) => at(each, 'id') === process.pid),
      'name',
    );
  const count = { module: 'processes', field: 'how many', theirs: processes.length, within: 5 };
  return [
    { ...count, pick: (payload) => (Array.isArray(payload) ? payload.length : undefined) },
    ...own.map(({ Name }) => ({
      ...{ module: 'processes', field: 'name of this process', theirs: String(Name) },
      pick: ourName,
    })),
  ];
}

async function networkFacts(rows: Rows): Promise<WitnessFact[]> {
  const adapters = await rows('Win32_NetworkAdapter', ['MACAddress', 'PhysicalAdapter', 'NetEnabled']);
  const addresses = adapters
    .filter(({ PhysicalAdapter, NetEnabled }) => PhysicalAdapter === true && NetEnabled === true)
    .flatMap(({ MACAddress }) => textOf(MACAddress)?.toLowerCase() ?? []);
  return addresses.map((address, index) => ({
    module: 'networks',
    field: `address of card ${index + 1}`,
    theirs: 'known',
    pick: (payload) =>
      listAt(payload, 'networks')
        .flatMap((network) => listAt(network, 'addresses'))
        .some((known) => String(at(known, 'address')).toLowerCase().replaceAll('-', ':') === address)
        ? 'known'
        : 'unknown',
  }));
}

function fact(
  module: string,
  field: string,
  theirs: string | number | null,
  within: number,
  ...path: string[]
): WitnessFact[] {
  if (theirs === null) return [];
  return [{ module, field, theirs, within, pick: (payload) => at(payload, ...path) }];
}

/** The report names no machine. The name of WMI is that of NetBIOS. */
function hostnameFacts(theirs: string | null): WitnessFact[] {
  if (theirs === null) return [];
  const short = (name: unknown) => String(name).split('.')[0]?.slice(0, 15).toUpperCase();
  const pick = (payload: unknown) => (short(at(payload, 'hostname')) === short(theirs) ? 'the same' : 'another');
  return [{ module: 'system', field: 'hostname', theirs: 'the same', pick }];
}

const mebi = 2 ** 20;

/** Numbers of 64 bits are texts in WMI. */
function numberOf(value: WmiValue | undefined): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = Number(value);
  return Number.isFinite(number) ? number : null;
}

const kilo = (value: WmiValue | undefined) => {
  const number = numberOf(value);
  return number === null ? null : 1024 * number;
};

const textOf = (value: WmiValue | undefined) =>
  typeof value === 'string' && value.trim() !== '' ? value.trim() : null;

const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const listAt = (value: unknown, key: string) => listOf(at(value, key));

function at(value: unknown, ...path: string[]): unknown {
  return path.reduce<unknown>((inner, key) => (isObject(inner) ? inner[key] : undefined), value);
}
