import type { Advertising } from '../../core/advertising.ts';
import type { PerPlatform } from '../../core/platform.ts';
import { defineTransport } from '../../core/transport.ts';
import type { Later } from '../../lib/later.ts';
import { advertise } from './advertise.ts';

/** Advertises the service on the network while the settings allow it. */
export const discoveryTransport = (platforms: PerPlatform<Later<Advertising>>) =>
  defineTransport({
    name: 'discovery',
    start({ host, log, settings, routeTable, listenOn, service: { version } }) {
      const ports = () => {
        const { plain, securePort } = routeTable.listener ?? { plain: null, securePort: () => null };
        return { plain: plain === null || plain.isLocalOnly ? null : plain.port, secure: securePort() };
      };
      return {
        stop: advertise({
          host,
          log,
          settings,
          platforms,
          version,
          address: listenOn.address,
          ports,
          listenerChanged: routeTable.listenerChanged,
        }),
      };
    },
  });
