import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { gunzipSync } from 'node:zlib';
import { root } from './service.ts';

/** What a collector received. */
export interface Received {
  at: number;
  path: string;
  headers: Headers;
  body: Uint8Array;
}

export interface Receiver extends AsyncDisposable {
  port: number;
  received: Received[];
  /** How the next requests are answered; 200 by default. */
  answer: (request: Received) => Response | Promise<Response>;
}

/** A collector that accepts everything, and answers as the test says. */
export function startReceiver(options: { port?: number; tls?: { cert: string; key: string } } = {}): Receiver {
  const receiver: Receiver = {
    port: 0,
    received: [],
    answer: () => new Response(null, { status: 200 }),
    async [Symbol.asyncDispose]() {
      await server.stop(true);
    },
  };
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: options.port ?? 0,
    idleTimeout: 0,
    ...(options.tls === undefined ? {} : { tls: options.tls }),
    async fetch(request) {
      const body = gunzipSync(new Uint8Array(await request.arrayBuffer()));
      const one = { at: Date.now(), path: new URL(request.url).pathname, headers: request.headers, body };
      receiver.received.push(one);
      return await receiver.answer(one);
    },
  });
  receiver.port = server.port ?? 0;
  return receiver;
}

export interface DecodedMetric {
  name: string;
  unit: string;
  gauge?: { dataPoints: DecodedPoint[] };
  sum?: { dataPoints: DecodedPoint[]; aggregationTemporality: string; isMonotonic?: boolean };
}

export interface DecodedPoint {
  attributes?: { key: string; value: { stringValue?: string; intValue?: string } }[];
  startTimeUnixNano?: string;
  timeUnixNano: string;
  asDouble?: number;
  asInt?: string;
}

export interface Decoded {
  resource: Record<string, string>;
  schema: string;
  metrics: Map<string, DecodedMetric>;
}

/** Decoded by the library of Google, which refuses unknown fields. */
export function decodeOtlp(bodies: { encoding: 'protobuf' | 'json'; body: Uint8Array }[]): Decoded[] {
  const input = bodies.map(({ encoding, body }) =>
    JSON.stringify({ encoding, body: Buffer.from(body).toString('base64') }),
  );
  const script = path.join(import.meta.dirname, 'otlp-decode.py');
  const { status, stdout, stderr } = spawnSync('/usr/bin/python3', [script], {
    input: `${input.join('\n')}\n`,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (status !== 0) throw new Error(stderr);
  return stdout
    .trim()
    .split('\n')
    .map((line) => {
      const [one] = JSON.parse(line).resourceMetrics;
      const attributes: NonNullable<DecodedPoint['attributes']> = one.resource.attributes;
      const metrics: DecodedMetric[] = one.scopeMetrics[0].metrics;
      return {
        resource: Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? ''])),
        schema: one.schemaUrl,
        metrics: new Map(metrics.map((metric) => [metric.name, metric])),
      };
    });
}

export const lacksDecoder = () =>
  fs.existsSync('/usr/bin/protoc') &&
  spawnSync('/usr/bin/python3', ['-c', 'import google.protobuf'], { cwd: root }).status === 0
    ? null
    : 'protoc or python3-protobuf is not installed';

/** Settings that push to this address, for the `prepare` of a service. */
export const otlpSettings =
  (otlp: Record<string, unknown>) =>
  (directory: string): void => {
    fs.mkdirSync(path.join(directory, 'config'), { recursive: true, mode: 0o700 });
    const settings = { history: { enabled: false }, otlp: { interval: 5, ...otlp } };
    fs.writeFileSync(path.join(directory, 'config', 'settings.json'), JSON.stringify(settings), { mode: 0o600 });
  };
