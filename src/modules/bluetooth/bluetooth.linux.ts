import type { CreateSource } from '../../core/module.ts';
import type { Reasons } from '../../core/reasons.ts';
import type { Files } from '../../host/linux/files.ts';
import { type BluezObjects, createBluez } from '../../host/linux/hardware/bluez.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { shownText } from '../../lib/shown-text.ts';
import { BusError } from '../../protocols/dbus/dbus.ts';
import type { Bluetooth, BluetoothDevice } from './bluetooth.schema.ts';

/** bluetoothd, which announces every change. */
export const bluetoothLinux: CreateSource<Bluetooth, LinuxHost> = ({ dbus, files }) => {
  const bluez = createBluez(dbus.system);
  return {
    async read(reasons) {
      try {
        const found = await bluez.read();
        return found === null || found.adapters.length === 0
          ? absent(files, found, reasons)
          : toBluetooth(found, reasons);
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
        const said = shownText(messageOf(error), 200);
        reasons.missing(
          null,
          `bluetoothd is running but cannot be asked: ${said}. Restarting the service bluetooth may help`,
        );
        return { adapters: [], devices: [] };
      }
    },
    watch: bluez.watch,
  };
};

function absent(files: Files, found: BluezObjects | null, reasons: Reasons): Bluetooth {
  const hasAdapter = files.list('/sys/class/bluetooth').some((name) => /^hci\d+$/.test(name));
  if (hasAdapter && found === null)
    reasons.missing(null, 'bluetoothd is not running; install bluez and start the service bluetooth');
  else if (hasAdapter) reasons.missing(null, 'bluetoothd does not manage the Bluetooth adapter of this machine');
  else if (files.exists('/sys/class')) reasons.inherent(null, 'This machine has no Bluetooth adapter');
  else reasons.missing(null, '/sys is not available, and bluetoothd is not running; mount /sys');
  return { adapters: [], devices: [] };
}

function toBluetooth({ adapters, devices }: BluezObjects, reasons: Reasons): Bluetooth {
  const listed = devices.map(({ path: _, icon, ...device }) => ({ ...device, kind: kindOf(icon) }));
  if (listed.some(({ battery }) => battery === null))
    reasons.inherent('devices[].battery', 'The device is not connected, or does not say how full its battery is');
  if (listed.some(({ rssi }) => rssi === null))
    reasons.inherent('devices[].rssi', 'The adapter is not searching for devices, or has not heard this one meanwhile');
  return { adapters: adapters.map(({ path: _, ...adapter }) => adapter), devices: listed };
}

/** By the icon that bluetoothd chooses for it. */
const kinds: readonly [RegExp, BluetoothDevice['kind']][] = [
  [/^audio-headset/, 'headset'],
  [/^audio-headphones/, 'headphones'],
  [/^(audio-card|audio-speakers)/, 'speakers'],
  [/^input-mouse/, 'mouse'],
  [/^input-keyboard/, 'keyboard'],
  [/^input-gaming/, 'game_controller'],
  [/^input-tablet/, 'tablet'],
  [/^(phone|pda)/, 'phone'],
  [/^computer/, 'computer'],
  [/^camera/, 'camera'],
  [/^(printer|scanner)/, 'printer'],
  [/^multimedia-player/, 'media_player'],
  [/^video-display/, 'display'],
  [/^(network|modem)/, 'network'],
];

const kindOf = (icon: string): BluetoothDevice['kind'] => kinds.find(([of]) => of.test(icon))?.[1] ?? 'other';
