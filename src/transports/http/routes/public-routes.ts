import type { Routes } from '../../../core/route-table.ts';
import type { Service } from '../../../core/service.ts';
import { once } from '../../../lib/lazily.ts';
import { jsonResponse, serialisedResponse } from '../respond.ts';

/** Routes without a token. Documents are generated once, so that unauthenticated requests stay cheap. */
export function publicRoutes(service: Service, now: () => number): Routes {
  const openApi = once(async () => {
    const { openApiOf } = await import('../openapi/openapi.ts');
    return new TextEncoder().encode(JSON.stringify(await openApiOf(service)));
  });
  const asyncApi = once(async () => {
    const { asyncApiOf } = await import('../../ws/asyncapi.ts');
    return new TextEncoder().encode(JSON.stringify(await asyncApiOf(service)));
  });
  const docs = once(async () => (await import('../openapi/docs-page.ts')).docsPage(service));

  return {
    '/api': { GET: () => jsonResponse({ status: 'success', message: 'The Hostler API is running.', data: {} }) },
    '/api/health': {
      GET: () =>
        jsonResponse({ status: 'healthy', timestamp: new Date(now()).toISOString(), version: service.version }),
    },
    '/api/openapi.json': { GET: async ({ base }) => serialisedResponse(servedBelow(await openApi(), base)) },
    '/api/asyncapi.json': { GET: async () => serialisedResponse(await asyncApi()) },
    '/api/docs': {
      async GET() {
        const { html, headers } = await docs();
        return new Response(html, { headers });
      },
    },
  };
}

/** The first server of the document is the one that sends it. */
const servedBelow = (document: Uint8Array<ArrayBuffer>, base: string) =>
  base === ''
    ? document
    : new TextEncoder().encode(new TextDecoder().decode(document).replace('"url":"/"', `"url":"${base}/"`));
