import fs from 'node:fs';
import { type Bus, BusError } from '@hostler/dbus/dbus.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';

const lingerDirectory = '/var/lib/systemd/linger';

/** Whether the systemd of a user runs from boot on and after logout. logind has a file for each such user. */
export function createLingering(bus: Bus, { uid, userName }: LinuxHost['environment'], directory = lingerDirectory) {
  return {
    isOn: async () => fs.existsSync(`${directory}/${userName}`),
    async set(isWanted: boolean) {
      try {
        await bus.call({
          destination: 'org.freedesktop.login1',
          path: '/org/freedesktop/login1',
          interface: 'org.freedesktop.login1.Manager',
          member: 'SetUserLinger',
          signature: 'ubb',
          body: [uid ?? 0, isWanted, false],
          timeoutMs: 10_000,
        });
      } catch (error) {
        if (!(error instanceof BusError)) throw error;
        throw new Error(
          `logind does not let this user do that (${error.message}). Run "sudo loginctl ${isWanted ? 'enable' : 'disable'}-linger ${userName}"`,
          { cause: error },
        );
      }
    },
  };
}
