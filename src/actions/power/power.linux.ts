import { delaySleepAndShutdown, followAnnouncements } from '../../host/linux/login/inhibit.ts';
import type { PowerControl } from './power.control.ts';
import { lockLinux } from './power.linux.lock.ts';
import { logoutLinux } from './power.linux.logout.ts';
import { machineVerb } from './power.linux.machine.ts';
import { notifyLinux } from './power.linux.notice.ts';

export const powerLinux: PowerControl = {
  verbs: {
    sleep: machineVerb({ order: 'Suspend', inhibitedBy: 'sleep', done: 'The machine goes to sleep' }),
    hibernate: machineVerb({ order: 'Hibernate', inhibitedBy: 'sleep', done: 'The machine hibernates' }),
    restart: machineVerb({ order: 'Reboot', inhibitedBy: 'shutdown', done: 'The machine restarts' }),
    shutdown: machineVerb({ order: 'PowerOff', inhibitedBy: 'shutdown', done: 'The machine shuts down' }),
    lock: lockLinux,
    logout: logoutLinux,
  },
  announcements: {
    follow: ({ dbus }, heard) => followAnnouncements(dbus.system, heard),
    delay: ({ hold }) => delaySleepAndShutdown(hold, 'Clients get their answer and a last update'),
  },
  notify: notifyLinux,
};
