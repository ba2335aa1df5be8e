import { shareIdOf } from '../../core/caller.ts';
import { createPlaces } from '../../core/places.ts';
import type { HttpRequest } from '../../core/route-table.ts';
import { requireScope } from '../../core/service.ts';
import { defineTransport, type TransportParts } from '../../core/transport.ts';
import { refuseUnknownQuery } from '../http/query.ts';
import { basicPasswordOf, secretsOf } from '../http/request.ts';
import type { MetricsResponse } from './metrics.ts';

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
      let loading: Promise<(isEnabled: boolean) => Promise<Response>> | null = null;
      let answering: Promise<MetricsResponse> | null = null;
      const loadAnswer = async () =>
        (await import('./metrics.ts')).createMetricsResponse({ modules, store, host, version, log });
      const load = async () =>
        (await import('./http-sd.ts')).createTargetsResponse({
          open: host.multicast,
          through: () => through(host.network.addresses()),
          clock: host.clock,
        });
      /** Collectors may support only Basic authentication; on other routes a browser would send it automatically. */
      const admit = (request: HttpRequest) => {
        const { headers, connection } = request;
        const caller = service.authorize([...secretsOf(headers), ...basicPasswordOf(headers)], connection);
        requireScope(caller, 'read');
        refuseUnknownQuery(request, []);
        return shareIdOf(caller);
      };
      routeTable.routes.set('/metrics', {
        async GET(request) {
          return await scrapes.run(admit(request), async () => {
            answering ??= loadAnswer();
            return await (await answering)(isEnabled(), request.headers);
          });
        },
      });
      routeTable.routes.set('/api/discovery/prometheus', {
        async GET(request) {
          admit(request);
          loading ??= load();
          return await (await loading)(isEnabled());
        },
      });
      return { stop: async () => {} };
    },
  });
