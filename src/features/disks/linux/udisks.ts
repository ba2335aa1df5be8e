import { type Bus, BusError, type Signal } from '@hostler/dbus/dbus.ts';
import { hasOwner, ownersOf } from '../../../host/linux/dbus/bus-properties.ts';
import { followSignals } from '../../../host/linux/dbus/follow-signals.ts';
import {
  attributeName,
  type DriveAttribute,
  type DriveReading,
  failedAttributes,
  rawOf,
  sectorCount,
} from '../smart/drive-reading.ts';

const udisks = 'org.freedesktop.UDisks2';
const root = `/${udisks.replaceAll('.', '/')}`;
const ata = `${udisks}.Drive.Ata`;
const nvme = `${udisks}.NVMe.Controller`;
const properties = 'org.freedesktop.DBus.Properties';

const timeoutMs = 3000;
const kelvinAtZeroCelsius = 273.15;
/** Bounds the work for a corrupt answer. */
const mostDrives = 500;
const mostAttributes = 64;

type Properties = Record<string, unknown>;

/** A drive that UDisks has read, with its kernel disks. */
interface UdisksDrive {
  path: string;
  disks: string[];
  kind: typeof ata | typeof nvme;
  values: Properties;
}

/**
 * The readings of UDisks by disk name; null: it is not running, or does not answer. It reads the drives every ten minutes and does not wake
 * them; this call causes no read. https://storaged.org/doc/udisks2-api/latest/
 */
export async function readUdisks(system: Bus): Promise<Map<string, DriveReading> | null> {
  try {
    // Asks the bus, because a call to UDisks itself would start it.
    if (!(await hasOwner(system, udisks))) return null;
    const manager = { path: root, interface: 'org.freedesktop.DBus.ObjectManager', member: 'GetManagedObjects' };
    const [objects] = await system.call({ destination: udisks, ...manager, timeoutMs });
    const found = new Map<string, DriveReading>();
    let hangs = false;
    for (const { path, kind, values, disks } of parseDrives(objects)) {
      // After one timeout the other drives are reported without their details.
      const details: unknown = hangs ? undefined : await detailsOf(system, path, kind);
      hangs ||= details === tooLate;
      const reading = (kind === ata ? parseUdisksAta : parseUdisksNvme)(values, details);
      if (reading !== null) for (const disk of disks) found.set(disk, reading);
    }
    return found;
  } catch {
    return null;
  }
}

const tooLate = Symbol('it did not answer');

/** The result of its last read. */
async function detailsOf(system: Bus, path: string, kind: string): Promise<unknown> {
  const options = { nowakeup: true };
  const call = { destination: udisks, path, interface: kind, member: 'SmartGetAttributes', timeoutMs };
  try {
    const [details] = await system.call({ ...call, signature: 'a{sv}', body: [options] });
    return details;
  } catch (error) {
    return error instanceof BusError && error.errorName === 'Client.Timeout' ? tooLate : undefined;
  }
}

/** The drives with a reading, each with its disks. */
function parseDrives(objects: unknown): UdisksDrive[] {
  const all = Object.entries(toProperties(objects));
  const disks = new Map<string, string[]>();
  for (const [, interfaces] of all) {
    const block = toProperties(interfaces)[`${udisks}.Block`];
    // Partitions refer to the same drive.
    if (block === undefined || `${udisks}.Partition` in toProperties(interfaces)) continue;
    const { Drive, Device } = toProperties(block);
    const name = nameOf(Device);
    if (typeof Drive === 'string' && name !== null) disks.set(Drive, [...(disks.get(Drive) ?? []), name]);
  }
  return all
    .flatMap(([path, interfaces]) =>
      ([ata, nvme] as const).flatMap((kind) => {
        const values = toProperties(toProperties(interfaces)[kind]);
        return Number(values.SmartUpdated ?? 0) > 0 ? [{ path, disks: disks.get(path) ?? [], kind, values }] : [];
      }),
    )
    .slice(0, mostDrives);
}

const toProperties = (value: unknown): Properties =>
  typeof value === 'object' && value !== null ? (value as Properties) : {};

/** Paths are byte strings that end with 0. */
function nameOf(device: unknown): string | null {
  if (!(device instanceof Uint8Array)) return null;
  const text = Buffer.from(device).toString('latin1').replace(/\0.*$/s, '');
  return /^\/dev\/[\w!-]{1,64}$/.test(text) ? text.slice('/dev/'.length) : null;
}

function parseUdisksAta(values: Properties, details: unknown): DriveReading | null {
  if (values.SmartEnabled !== true) return null;
  const attributes = parseAttributes(details);
  const raw = (id: number) => rawOf(attributes, id);
  const kelvin = atLeast(values.SmartTemperature, 1);
  const seconds = atLeast(values.SmartPowerOnSeconds, 1);
  return {
    passed: typeof values.SmartFailing === 'boolean' ? !values.SmartFailing : null,
    percentage_used: null,
    power_on_hours: seconds === null ? null : Math.floor(seconds / 3600),
    temperature: kelvin === null ? null : Math.round(kelvin - kelvinAtZeroCelsius),
    reallocated: sectorCount(raw(5)),
    pending: sectorCount(raw(197)),
    media_errors: sectorCount(raw(198)),
    critical_warnings: failedAttributes(attributes),
    read_at: atLeast(values.SmartUpdated, 1) ?? 0,
    attributes,
  };
}

function parseUdisksNvme(values: Properties, details: unknown): DriveReading | null {
  const kelvin = atLeast(values.SmartTemperature, 1);
  const log = toProperties(details);
  const words = Array.isArray(values.SmartCriticalWarning) ? values.SmartCriticalWarning : null;
  return {
    passed: words === null ? null : words.length === 0,
    percentage_used: atLeast(log.percent_used, 0),
    power_on_hours: atLeast(values.SmartPowerOnHours, 0),
    temperature: kelvin === null ? null : Math.round(kelvin - kelvinAtZeroCelsius),
    reallocated: null,
    pending: null,
    media_errors: atLeast(log.media_errors, 0),
    critical_warnings: (words ?? []).slice(0, mostAttributes).map((word) => warningOfUdisks(String(word).slice(0, 64))),
    read_at: atLeast(values.SmartUpdated, 1) ?? 0,
    attributes: [],
  };
}

/** Each is id, name, flags, value, worst, threshold, pretty, unit of that, and more; -1 stands for "not known". */
function parseAttributes(details: unknown): DriveAttribute[] {
  if (!Array.isArray(details)) return [];
  return details.slice(0, mostAttributes).flatMap((each: unknown) => {
    if (!Array.isArray(each)) return [];
    const [id, , flags, value, worst, threshold, pretty] = each;
    const number = atLeast(id, 1);
    if (number === null) return [];
    return [
      {
        id: number,
        name: attributeName(number),
        value: atLeast(value, 0),
        worst: atLeast(worst, 0),
        threshold: atLeast(threshold, 0),
        raw: atLeast(pretty, 0),
        prefail: (Number(flags) & 1) !== 0,
      },
    ];
  });
}

function atLeast(value: unknown, least: number): number | null {
  const number = typeof value === 'number' || typeof value === 'bigint' ? Number(value) : Number.NaN;
  return Number.isFinite(number) && number >= least ? number : null;
}

/** Calls back after each read of a drive, when UDisks starts or ends, and once when the subscription starts. */
export function watchUdisks(system: Bus, changed: () => void): () => void {
  const drives = { sender: udisks, pathNamespace: `${root}/drives`, interface: properties };
  const isAboutSmart = ({ body: [name, values] }: Pick<Signal, 'body'>) =>
    (name === ata || name === nvme) && Object.keys(toProperties(values)).some((key) => key.startsWith('Smart'));
  const signals = [
    { match: { ...drives, member: 'PropertiesChanged' }, isNews: isAboutSmart },
    { match: ownersOf(udisks) },
  ];
  return followSignals(system, signals, changed);
}

/** The names of UDisks for the same bits. */
const wordsOfUdisks: Record<string, string> = {
  degraded: 'reliability',
  readonly: 'read_only',
  volatile_mem: 'volatile_memory',
  pmr_readonly: 'persistent_memory',
};

const warningOfUdisks = (word: string) => wordsOfUdisks[word] ?? word;
