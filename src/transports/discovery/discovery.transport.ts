import type { PerPlatform } from '../../core/platform.ts';
import { defineTransport } from '../../core/transport.ts';
import type { Later } from '../../lib/later.ts';
import { type Advertising, advertise } from './advertise.ts';

/** Lets the service be found on the network, for as long as the settings say so. */
export const discoveryTransport = (platforms: PerPlatform<Later<Advertising>>) =>
  defineTransport({
    name: 'discovery',
    start({ host, log, settings, entrance, listenOn, service: { version } }) {
      const ports = () => {
        const { plain, securePort } = entrance.door ?? { plain: null, securePort: () => null };
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
          doorChanged: entrance.doorChanged,
        }),
      };
    },
  });
