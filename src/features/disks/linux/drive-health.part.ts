import { definePart } from '../../../core/part.ts';
import type { LinuxHost } from '../../../host/linux/linux-host.ts';
import type { DriveHealth } from './drive-health.ts';

/** Loaded with the first query. */
export const driveHealth = definePart<DriveHealth, LinuxHost>({
  name: 'disks.drive-health',
  create: async (host) => (await import('./drive-health.ts')).createDriveHealth(host),
  absent: {
    read: (drives) => new Map(drives.map(({ name }) => [name, { kind: 'mute' }])),
    known: () => new Map(),
    watch: () => () => {},
  },
});
