import type { BusCall } from '@hostler/dbus/dbus.ts';
import { definePart, partOf } from '../../core/part.ts';
import { createDesktopNotifications, withoutMarkup } from '../../host/linux/desktop/desktop-notifications.ts';
import type { LinuxHost } from '../../host/linux/linux-host.ts';
import { delaySleepAndShutdown, followAnnouncements } from '../../host/linux/login/inhibit.ts';
import type { LinuxVerb } from './linux/power.errors.ts';
import { lockLinux } from './linux/power.lock.ts';
import { logoutLinux } from './linux/power.logout.ts';
import { machineVerb } from './linux/power.machine.ts';
import type { Notice, PowerControl, VerbControl } from './power.contract.ts';

export function powerLinux(host: LinuxHost): PowerControl {
  const on = ({ check, perform }: LinuxVerb): VerbControl => ({
    check: (options) => check(host, options),
    perform: (options) => perform(host, options),
  });
  return {
    verbs: {
      sleep: on(machineVerb({ order: 'Suspend', inhibitedBy: 'sleep', done: 'The machine is going to sleep' })),
      hibernate: on(machineVerb({ order: 'Hibernate', inhibitedBy: 'sleep', done: 'The machine is hibernating' })),
      restart: on(machineVerb({ order: 'Reboot', inhibitedBy: 'shutdown', done: 'The machine is restarting' })),
      shutdown: on(machineVerb({ order: 'PowerOff', inhibitedBy: 'shutdown', done: 'The machine is shutting down' })),
      lock: on(lockLinux),
      logout: on(logoutLinux),
    },
    announcements: {
      follow: (listener) => followAnnouncements(host.dbus.system, listener),
      delay: async () =>
        delaySleepAndShutdown(await partOf(host, holdPart), 'Clients get their answer and a last update'),
    },
    notify: (notice) => notifyLinux(host, notice),
  };
}

/** Calls a method of the system bus that returns a descriptor, and holds it until the returned function is called. */
export const holdPart = definePart<(call: BusCall) => Promise<() => void>, LinuxHost>({
  name: 'power.hold',
  create:
    ({ environment }) =>
    async (call) =>
      (await import('../../host/linux/login/hold-descriptor.ts')).holdDescriptor(environment, call),
  absent: async () => {
    throw new Error('A recording has no bus that hands out descriptors');
  },
});

/** Stays on the screen until it is pressed or removed. */
async function notifyLinux({ dbus }: LinuxHost, { title, body, cancel }: Notice): Promise<() => void> {
  const notifications = createDesktopNotifications(dbus.session, 'Hostler');
  const button = { key: 'cancel', label: 'Cancel' };
  const pressed = (key: string) => {
    if (key === button.key) cancel?.();
  };
  // A refusal quotes the inhibiting programs in their own words.
  const text = (await notifications.capabilities()).has('body-markup') ? withoutMarkup(body) : body;
  const id = await notifications.show(
    { title, body: text, icon: 'system-shutdown', timeoutMs: 0, actions: cancel === null ? [] : [button] },
    cancel === null ? undefined : { pressed },
  );
  return () => void notifications.withdraw(id).finally(notifications.close);
}
