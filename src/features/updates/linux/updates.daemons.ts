import type { Bus, SignalMatch } from '@hostler/dbus/dbus.ts';
import { ownersOf } from '../../../host/linux/dbus/bus-properties.ts';
import type { Clock } from '../../../lib/clock.ts';
import { stopAll, stopOnceBegun } from '../../../lib/closing.ts';
import { fwupdName, fwupdObject } from './fwupd.ts';
import { packageKitName, packageKitPath } from './packagekit.ts';

/** One change takes several signals, and an upgrade touches its files a thousand times. */
const settledMs = 3000;

/** Calls back some seconds after the last call. */
export function createSettling(clock: Pick<Clock, 'after'>, changed: () => void) {
  let stopped = false;
  let cancel = () => {};
  return {
    touch() {
      cancel();
      if (!stopped) cancel = clock.after(settledMs, changed);
    },
    stop() {
      stopped = true;
      cancel();
    },
  };
}

/** Calls back after fwupd or PackageKit announced a change. Never without a bus. */
export function followPackageDaemons(system: Bus, clock: Pick<Clock, 'after'>, changed: () => void): () => void {
  const settling = createSettling(clock, changed);
  const matches: SignalMatch[] = [
    ...['Changed', 'DeviceAdded', 'DeviceRemoved'].map((member) => ({ sender: fwupdName, ...fwupdObject, member })),
    { sender: packageKitName, path: packageKitPath, interface: packageKitName, member: 'UpdatesChanged' },
    ownersOf(fwupdName),
  ];
  const stops = matches.map((match) => stopOnceBegun(system.subscribe(match, settling.touch)));
  return stopAll([settling.stop, ...stops]);
}
