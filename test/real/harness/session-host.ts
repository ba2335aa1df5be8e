import { createHost } from '../../../src/host/create-host.ts';
import { createEnvironment } from '../../../src/host/environment.ts';
import type { Host } from '../../../src/host/host.ts';
import { createDbus } from '../../../src/host/linux/desktop/buses.ts';
import { createDesktopSession } from '../../../src/host/linux/desktop/desktop-session.ts';
import { createPaths } from '../../../src/host/paths.ts';

/** This machine, as a service sees it that was started with these variables and no others. */
export function hostIn(variables: Record<string, string>): Host {
  const host = createHost('6.0.0', 'linux');
  const nowhere = { DBUS_SYSTEM_BUS_ADDRESS: 'unix:path=/nonexistent/bus', XDG_RUNTIME_DIR: '/nonexistent' };
  const environment = createEnvironment({ HOME: '/nonexistent', ...nowhere, ...variables });
  const dbus = createDbus(environment);
  const paths = createPaths(environment, 'linux');
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
