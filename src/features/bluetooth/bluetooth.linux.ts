import { BusError } from '@hostler/dbus/dbus.ts';
import type { CreateSource } from '../../core/module.ts';
import { type Reasons, remembered } from '../../core/reasons.ts';
import type { Files } from '../../host/linux/files.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { shownText } from '../../lib/printable-text.ts';
import type { Bluetooth, BluetoothDevice } from './bluetooth.schema.ts';
import { type BluezObjects, createBluez, whyNoAdapter } from './bluez.linux.ts';

/** bluetoothd, which announces every change. */
export const bluetoothLinux: CreateSource<Bluetooth, LinuxHost> = ({ dbus, files, clock }) => {
  const bluez = createBluez(dbus.system);
  const withDaemon = remembered(clock, absentMs, (reasons) => absent(files, true, reasons));
  const withoutDaemon = remembered(clock, absentMs, (reasons) => absent(files, false, reasons));
  return {
    async read(reasons) {
      try {
        const found = await bluez.read();
        if (found === null) return withoutDaemon(reasons);
        return found.adapters.length === 0 ? withDaemon(reasons) : toBluetooth(found, reasons);
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
        const text = shownText(messageOf(error), 200);
        reasons.missing(
          null,
          `bluetoothd is running but does not answer: ${text}. Restarting the service bluetooth may help`,
        );
        return { adapters: [], devices: [] };
      }
    },
    watch: bluez.watch,
  };
};

/** How long the reason for a missing adapter is cached. */
const absentMs = 5000;

function absent(files: Files, isRunning: boolean, reasons: Reasons): Bluetooth {
  const { reason, mendable } = whyNoAdapter(files, isRunning);
  if (mendable) reasons.missing(null, reason);
  else reasons.inherent(null, reason);
  return { adapters: [], devices: [] };
}

function toBluetooth({ adapters, devices }: BluezObjects, reasons: Reasons): Bluetooth {
  const listed = devices.map(({ path: _, icon, ...device }) => ({ ...device, kind: kindOf(icon) }));
  if (listed.some(({ battery }) => battery === null))
    reasons.inherent('devices[].battery', 'The device is not connected, or does not report its battery');
  if (listed.some(({ rssi }) => rssi === null))
    reasons.inherent('devices[].rssi', 'The adapter is not searching for devices, or has not received this one since');
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
