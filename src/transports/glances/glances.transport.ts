import type { HttpRequest } from '../../core/route-table.ts';
import { requireScope } from '../../core/service.ts';
import { defineTransport } from '../../core/transport.ts';
import { ServiceError } from '../../lib/errors.ts';
import { passwordsOf } from '../http/request.ts';
import { jsonResponse } from '../http/respond.ts';
import type { Measuring } from './measurements.ts';
import type { GlancesVersion } from './plugin.ts';

const off = 'The API of Glances is turned off; turn it on with glances.enabled in the settings';

/** Serves the REST API of Glances, for dashboards that read it. The code is loaded on the first request. */
export const glancesTransport = defineTransport({
  name: 'glances',
  start({ service, host, log, settings, routeTable }) {
    let loading: Promise<(path: string, version: GlancesVersion) => Promise<unknown>> | null = null;
    const load = async () => {
      const [{ answerGlances }, { createMeasuring }] = await Promise.all([
        import('./glances.ts'),
        import('./measurements.ts'),
      ]);
      const measuring: Measuring = createMeasuring({ service, host, log });
      return (path: string, version: GlancesVersion) => answerGlances(path, version, measuring, host.clock.now);
    };
    const unfollow = settings.onChange(() => {
      // What was kept between two readings goes.
      if (!settings.current().glances.enabled) loading = null;
    });
    const answer = async (path: string, version: GlancesVersion): Promise<Response> => {
      if (!settings.current().glances.enabled) throw new ServiceError('not_found', off);
      loading ??= load();
      return jsonResponse(await (await loading)(path, version));
    };
    /** Clients of Glances have a name and a password. */
    const admit = (request: HttpRequest) =>
      requireScope(service.authorize(passwordsOf(request), request.connection), 'read');
    for (const version of [3, 4] as const) {
      const prefix = `/api/${version}/`;
      const GET = async (request: HttpRequest) => {
        admit(request);
        return await answer(request.path.slice(prefix.length), version);
      };
      routeTable.prefixes.set(prefix, { methods: { GET }, isSecret: false });
    }
    routeTable.prefixes.set('/glances/', {
      isSecret: true,
      methods: {
        async GET(request) {
          const [, secret = '', version, path = ''] =
            /^\/glances\/([^/]+)\/api\/([34])\/(.*)$/.exec(request.path) ?? [];
          const { enabled, privatePath } = settings.current().glances;
          const isKnown =
            enabled && privatePath && (await (await import('./secret-path.ts')).isSecretPath(host, secret));
          // The same answer as without a token, whatever is wrong with the address.
          if (!isKnown) admit({ ...request, headers: new Headers() });
          return await answer(path, version === '3' ? 3 : 4);
        },
      },
    });
    return { stop: async () => unfollow() };
  },
});
