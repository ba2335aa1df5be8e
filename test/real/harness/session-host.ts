import { startThread } from '../../../src/app/threads/start-thread.ts';
import { createLinuxHost } from '../../../src/host/linux/create-linux-host.ts';
import { createBuses } from '../../../src/host/linux/dbus/buses.ts';
import { createDesktopSession } from '../../../src/host/linux/desktop/desktop-session.ts';
import { createLinuxEnvironment } from '../../../src/host/linux/linux-environment.ts';
import type { LinuxHost } from '../../../src/host/linux/linux-host.ts';
import { linuxPaths } from '../../../src/host/linux/linux-paths.ts';
import { createPaths } from '../../../src/host/paths.ts';

/** This machine, as seen by a service that was started with only these variables. */
export function hostIn(variables: Record<string, string>): LinuxHost {
  const host = createLinuxHost('6.0.0', startThread);
  const nowhere = { DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/nonexistent/bus', XDG_RUNTIME_DIR: '/nonexistent' };
  const environment = createLinuxEnvironment({ HOME: '/nonexistent', ...nowhere, ...variables });
  const dbus = createBuses(environment);
  const paths = createPaths(environment, linuxPaths(environment));
  return {
    ...host,
    environment,
    dbus,
    paths,
    session: createDesktopSession({ ...host, environment, dbus, paths }),
    async close() {
      dbus.system.close();
      dbus.session.close();
      await host.close();
    },
  };
}
