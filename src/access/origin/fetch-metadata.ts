import { ServiceError } from '../../lib/errors.ts';

/**
 * Refuses what a page of another origin embeds: images, scripts, frames, requests in the mode no-cors. Such requests have no Origin header. Links to
 * this service work, and requests with CORS and WebSockets have an Origin, which is checked elsewhere. Browsers set these headers, and pages
 * cannot; they do so only over TLS and for this machine itself. Elsewhere the header Cross-Origin-Resource-Policy of the response is the protection.
 */
export function refuseForeignSubresource(headers: Headers): void {
  const site = headers.get('sec-fetch-site');
  if (site === null || site === 'same-origin' || site === 'none') return;
  const mode = headers.get('sec-fetch-mode');
  if (mode === 'cors' || mode === 'websocket') return;
  if (mode === 'navigate' && headers.get('sec-fetch-dest') === 'document') return;
  throw new ServiceError('forbidden', 'Pages of other origins may not embed resources of this service');
}
