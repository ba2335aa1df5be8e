import type { TransportParts } from '../../core/transport.ts';
import { gzip } from '../../lib/gzip.ts';
import { encodeJson } from './encode-json.ts';
import { encodeProtobuf } from './encode-protobuf.ts';
import { createExports } from './export.ts';
import { type OtlpPush, startPush } from './push.ts';
import { createSend, shownUrl } from './send.ts';

/** A machine that is busy while it starts may not know its own name for a moment; one that never learns it is heard all the same. */
const unnamedPushes = 3;

/** Pushes the numbers of the machine, as the settings say now. */
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
    log.warn(`otlp: the headers of ${headersFile} go to ${address} without encryption; use https`);
  log.info(`otlp: the numbers of this machine go to ${address} every ${interval} s`);
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
