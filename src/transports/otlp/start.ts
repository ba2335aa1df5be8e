import type { TransportParts } from '../../core/transport.ts';
import { gzip } from '../../lib/gzip.ts';
import { encodeJson } from './encode-json.ts';
import { encodeProtobuf } from './encode-protobuf.ts';
import { createExports } from './export.ts';
import { type OtlpPush, startPush } from './push.ts';
import { createSend, shownUrl } from './send.ts';

/** A busy machine may not know its name right after boot; after these attempts it exports without one. */
const unnamedPushes = 3;

/** Starts the push with the current settings. */
export async function startOtlp({
  service,
  host,
  log,
  settings,
}: Pick<TransportParts, 'service' | 'host' | 'log' | 'settings'>): Promise<OtlpPush> {
  const { modules, store, version } = service;
  const { otlp } = settings.current();
  const { endpoint, encoding, interval, headersFile } = otlp;
  const exports = await createExports({ modules, store, host, version, log }, unnamedPushes);
  const address = shownUrl(endpoint);
  if (headersFile !== '' && isOpenToOthers(endpoint))
    log.warn(`otlp: the headers of ${headersFile} are sent to ${address} without encryption; use https`);
  log.info(`otlp: metrics are sent to ${address} every ${interval} s`);
  return startPush({
    async collect() {
      const found = await exports();
      const body = gzip(encoding === 'json' ? encodeJson(found) : encodeProtobuf(found));
      return { body, points: found.metrics.reduce((sum, { points }) => sum + points.length, 0) };
    },
    send: createSend(host, otlp),
    address,
    intervalMs: interval * 1000,
    clock: host.clock,
    log,
    random: Math.random,
  });
}

function isOpenToOthers(endpoint: string): boolean {
  const { protocol, hostname } = new URL(endpoint);
  return protocol === 'http:' && !/^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname);
}
