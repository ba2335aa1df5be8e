import type { Bus, SignalMatch } from '@hostler/dbus/dbus.ts';
import type { Clock } from '../../../lib/clock.ts';
import { fwupdName, fwupdObject } from './fwupd.ts';
import { packageKitName, packageKitPath } from './packagekit.ts';

/** They announce one change in several signals. */
const settledMs = 3000;

/** Calls back after fwupd or PackageKit announced a change. Never without a bus. */
export function followPackageDaemons(system: Bus, clock: Pick<Clock, 'after'>, changed: () => void): () => void {
  let stopped = false;
  let cancel = () => {};
  const stops: (() => void)[] = [];
  const notifyLater = () => {
    cancel();
    if (!stopped) cancel = clock.after(settledMs, changed);
  };
  const follow = async (match: SignalMatch) => {
    const stop = await system.subscribe(match, notifyLater);
    if (stopped) stop();
    else stops.push(stop);
  };
  const owners = { path: '/org/freedesktop/DBus', interface: 'org.freedesktop.DBus', member: 'NameOwnerChanged' };
  const matches: SignalMatch[] = [
    ...['Changed', 'DeviceAdded', 'DeviceRemoved'].map((member) => ({ sender: fwupdName, ...fwupdObject, member })),
    { sender: packageKitName, path: packageKitPath, interface: packageKitName, member: 'UpdatesChanged' },
    { sender: 'org.freedesktop.DBus', ...owners, arg0: fwupdName },
  ];
  for (const match of matches) follow(match).catch(() => {});
  return () => {
    stopped = true;
    cancel();
    for (const stop of stops) stop();
  };
}
