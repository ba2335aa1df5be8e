import type { Bus } from '@hostler/dbus/dbus.ts';
import { busTimeoutMs, busValues } from '../../host/linux/dbus/bus-properties.ts';
import type { Files } from '../../host/linux/files.ts';
import { shownText } from '../../lib/printable-text.ts';

export interface BluezAdapter {
  path: string;
  /** Such as hci0. */
  id: string;
  name: string;
  address: string;
  powered: boolean;
  discovering: boolean;
}

/** A paired or trusted device. */
export interface BluezDevice {
  path: string;
  adapter: string;
  address: string;
  name: string;
  /** A name of the icon naming specification of freedesktop.org; empty: unknown. */
  icon: string;
  paired: boolean;
  trusted: boolean;
  connected: boolean;
  /** Percent. */
  battery: number | null;
  /** dBm; only while the adapter searches. */
  rssi: number | null;
}

export interface BluezObjects {
  adapters: BluezAdapter[];
  devices: BluezDevice[];
}

export const bluezName = 'org.bluez';
export const bluezAdapter = `${bluezName}.Adapter1`;
export const bluezDevice = `${bluezName}.Device1`;
const battery = `${bluezName}.Battery1`;
const manager = 'org.freedesktop.DBus.ObjectManager';

const mostAdapters = 16;
const mostDevices = 256;
const longestName = 100;

/** Changes of other properties, such as the signal strength during discovery, are read at the next interval. */
const reported: Record<string, readonly string[]> = {
  [bluezAdapter]: ['Alias', 'Powered', 'Discovering', 'Address'],
  [bluezDevice]: ['Alias', 'Name', 'Icon', 'Paired', 'Trusted', 'Connected', 'Address'],
  [battery]: ['Percentage'],
};

/**
 * Adapters and paired devices of bluetoothd. Announcements of other devices nearby are ignored.
 * https://git.kernel.org/pub/scm/bluetooth/bluez.git/tree/doc/org.bluez.Device.rst
 */
export function createBluez(system: Bus) {
  let listed: ReadonlySet<string> = new Set();
  const objects = { sender: bluezName, path: '/', interface: manager };
  const changes = { sender: bluezName, pathNamespace: '/org/bluez', interface: 'org.freedesktop.DBus.Properties' };
  const values = busValues(
    system,
    { destination: bluezName, path: '/', interface: manager },
    {
      names: [],
      ask: () => managedObjects(system),
      signals: [
        { match: { ...objects, member: 'InterfacesAdded' }, isNews: ([path, added]) => isNewObject(path, added) },
        { match: { ...objects, member: 'InterfacesRemoved' }, isNews: ([path]) => listed.has(String(path)) },
        { match: { ...changes, member: 'PropertiesChanged' }, isNews: isNewValue },
      ],
      // The signal strength changes with each packet, and is not announced.
      isUnannounced: (known) => parseBluez(known).adapters.some(({ discovering }) => discovering),
    },
  );

  function isNewObject(path: unknown, added: unknown): boolean {
    const entry = Object(added);
    if (bluezAdapter in entry || listed.has(String(path))) return true;
    return bluezDevice in entry && isKnownHere(Object(entry[bluezDevice]));
  }

  function isNewValue([face, values, invalidated]: unknown[], path: string): boolean {
    const changed = Object(values);
    const gone: unknown[] = Array.isArray(invalidated) ? invalidated : [];
    const isOneOfOurs = listed.has(path);
    if (face === bluezDevice && !isOneOfOurs) return isKnownHere(changed);
    return isOneOfOurs && (reported[String(face)] ?? []).some((name) => name in changed || gone.includes(name));
  }

  return {
    /** null: bluetoothd is not running; this does not start it. Throws BusError. */
    async read(): Promise<BluezObjects | null> {
      const known = await values.read();
      if (known === null) return null;
      const found = parseBluez(known);
      listed = new Set([...found.adapters, ...found.devices].map(({ path }) => path));
      return found;
    },
    watch: values.watch,
  };
}

async function managedObjects(system: Bus): Promise<ReadonlyMap<string, unknown>> {
  const call = { destination: bluezName, path: '/', interface: manager, member: 'GetManagedObjects' };
  const [objects] = await system.call({ ...call, timeoutMs: busTimeoutMs });
  return new Map(Object.entries(Object(objects)));
}

const isKnownHere = (device: Record<string, unknown>) => device.Paired === true || device.Trusted === true;

function parseBluez(objects: ReadonlyMap<string, unknown>): BluezObjects {
  const adapters: BluezAdapter[] = [];
  const devices: BluezDevice[] = [];
  const ids = new Map<string, string>();
  const withFace = (face: string) =>
    [...objects].flatMap(([path, faces]) => (face in Object(faces) ? [{ path, values: facesOf(faces, face) }] : []));
  for (const { path, values } of withFace(bluezAdapter).slice(0, mostAdapters)) {
    const address = addressOf(values.Address);
    if (address === null) continue;
    const id = shownText(path.slice(path.lastIndexOf('/') + 1), 32);
    ids.set(path, id);
    adapters.push({
      path,
      id,
      name: nameOf(values, address),
      address,
      powered: values.Powered === true,
      discovering: values.Discovering === true,
    });
  }
  const known = withFace(bluezDevice).filter(({ values }) => isKnownHere(values));
  for (const { path, values } of known.slice(0, mostDevices)) {
    const address = addressOf(values.Address);
    const adapter = ids.get(String(values.Adapter));
    if (address === null || adapter === undefined) continue;
    devices.push({
      path,
      adapter,
      address,
      name: nameOf(values, address),
      icon: typeof values.Icon === 'string' ? shownText(values.Icon, 64) : '',
      paired: values.Paired === true,
      trusted: values.Trusted === true,
      connected: values.Connected === true,
      battery: within(facesOf(objects.get(path), battery).Percentage, 0, 100),
      rssi: within(values.RSSI, -127, 20),
    });
  }
  return { adapters: adapters.sort(byPath), devices: devices.sort(byPath) };
}

/** Why there is no adapter; `mendable`: the user can fix it. */
export function whyNoAdapter(files: Pick<Files, 'list' | 'exists'>, isRunning: boolean) {
  const hasAdapter = files.list('/sys/class/bluetooth').some((name) => /^hci\d+$/.test(name));
  if (hasAdapter && isRunning)
    return { reason: 'bluetoothd does not manage the Bluetooth adapter of this machine', mendable: true };
  if (hasAdapter)
    return { reason: 'bluetoothd is not running; install bluez and start the service bluetooth', mendable: true };
  return files.exists('/sys/class')
    ? { reason: 'This machine has no Bluetooth adapter', mendable: false }
    : { reason: '/sys is not available, and bluetoothd is not running; mount /sys', mendable: true };
}

const facesOf = (faces: unknown, face: string): Record<string, unknown> => Object(Object(faces)[face]);
const byPath = (a: { path: string }, b: { path: string }) => (a.path < b.path ? -1 : 1);

const addressOf = (value: unknown): string | null =>
  typeof value === 'string' && /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(value) ? value.toUpperCase() : null;

/** The alias that the user has chosen; the default of bluetoothd is the device's own name. */
function nameOf({ Alias, Name }: Record<string, unknown>, address: string): string {
  for (const name of [Alias, Name]) {
    const text = typeof name === 'string' ? shownText(name, longestName).trim() : '';
    if (text !== '') return text;
  }
  return address;
}

function within(value: unknown, least: number, most: number): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most ? value : null;
}
