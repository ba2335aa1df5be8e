import { requireScope } from '../../core/service.ts';
import { defineTransport } from '../../core/transport.ts';
import { secretsOf } from '../http/request.ts';

/** Numbers of the machine, as text for those who collect them. */
export const metricsTransport = defineTransport({
  name: 'metrics',
  start({ service, host, settings, entrance }) {
    const { modules, store, version } = service;
    entrance.routes.set('/metrics', {
      async GET({ headers, connection }) {
        requireScope(service.authorize(secretsOf(headers), connection), 'read');
        const { metricsResponse } = await import('./metrics.ts');
        return await metricsResponse({ modules, store, host, version }, settings.current().metrics.enabled);
      },
    });
    return { stop: async () => {} };
  },
});
