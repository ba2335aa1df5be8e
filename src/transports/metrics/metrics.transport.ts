import { shareIdOf } from '../../core/caller.ts';
import { createPlaces } from '../../core/places.ts';
import type { HttpRequest } from '../../core/route-table.ts';
import { requireScope } from '../../core/service.ts';
import { defineTransport, type TransportParts } from '../../core/transport.ts';
import { once } from '../../lib/lazily.ts';
import { refuseUnknownQuery } from '../http/query.ts';
import { passwordsOf } from '../http/request.ts';

/** Half of them for a token: all that wait for one response get it in the same turn of the event loop. */
const mostScrapes = 32;

type Addresses = ReturnType<TransportParts['host']['network']['addresses']>;

/** Metrics for Prometheus. The code is loaded on the first request. `through`: one address of each interface to search through. */
export const metricsTransport = (through: (addresses: Addresses) => string[]) =>
  defineTransport({
    name: 'metrics',
    start({ service, host, log, settings, routeTable }) {
      const { modules, store, version } = service;
      const scrapes = createPlaces(mostScrapes, 'Too many concurrent requests for metrics; try again');
      const isEnabled = () => settings.current().metrics.enabled;
      const metrics = once(async () =>
        (await import('./metrics.ts')).createMetricsResponse({ modules, store, host, version, log }),
      );
      const targets = once(async () =>
        (await import('./http-sd.ts')).createTargetsResponse({
          open: host.multicast,
          through: () => through(host.network.addresses()),
          clock: host.clock,
        }),
      );
      /** Collectors may support only Basic authentication; on other routes a browser would send it automatically. */
      const admit = (request: HttpRequest) => {
        const caller = service.authorize(passwordsOf(request), request.connection);
        requireScope(caller, 'read');
        refuseUnknownQuery(request, []);
        return shareIdOf(caller);
      };
      routeTable.routes.set('/metrics', {
        async GET(request) {
          return await scrapes.run(admit(request), async () => await (await metrics())(isEnabled(), request.headers));
        },
      });
      routeTable.routes.set('/api/discovery/prometheus', {
        async GET(request) {
          admit(request);
          return await (await targets())(isEnabled());
        },
      });
      return { stop: async () => {} };
    },
  });
