// tier: full
import { describe, expect, setDefaultTimeout, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import {
  type DecodedPoint,
  decodeOtlp,
  lacksDecoder,
  otlpSettings,
  type Receiver,
  startReceiver,
} from '../harness/otlp-receiver.ts';
import { needs } from '../harness/parts.ts';
import { runHostler, startHostler, until } from '../harness/service.ts';
import { selfSigned } from '../harness/tls.ts';

setDefaultTimeout(300_000);

const base = ({ port }: Pick<Receiver, 'port'>) => `http://127.0.0.1:${port}`;
const batches = (receiver: Receiver, count: number) =>
  until(() => (receiver.received.length >= count ? true : null), 120_000);
const attributesOf = ({ attributes = [] }: DecodedPoint) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, value.stringValue ?? Number(value.intValue)]));

function scratch(): Disposable & { directory: string } {
  const directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-otlp-'));
  return { directory, [Symbol.dispose]: () => fs.rmSync(directory, { recursive: true, force: true }) };
}

const noDecoder = lacksDecoder();
if (noDecoder !== null) console.warn(`skipped: ${noDecoder}`);

describe.skipIf(noDecoder !== null)('both encodings', () => {
  test.concurrent('are accepted by the library of Google, and hold the same', async () => {
    await using receiver = startReceiver();
    const encodings = ['protobuf', 'json'] as const;
    await using services = new AsyncDisposableStack();
    for (const encoding of encodings)
      services.use(
        await startHostler({ prepare: otlpSettings({ endpoint: `${base(receiver)}/${encoding}`, encoding }) }),
      );
    const sentAs = (encoding: string) => receiver.received.filter((one) => one.path === `/${encoding}/v1/metrics`);
    // A busy machine may not have read everything at first.
    const [protobuf, protobufNext, json] = await until(() => {
      if (encodings.some((encoding) => sentAs(encoding).length < 3)) return null;
      const bodies = encodings.flatMap((encoding) =>
        sentAs(encoding)
          .slice(-2)
          .map(({ body }) => ({ encoding, body })),
      );
      const decoded = decodeOtlp(bodies);
      const isWhole = decoded.every(
        ({ metrics }) => metrics.has('system.process.count') && metrics.has('system.cpu.utilization'),
      );
      return isWhole ? decoded : null;
    }, 120_000);
    for (const encoding of encodings)
      expect(sentAs(encoding).at(-1)?.headers.get('content-type')).toBe(
        encoding === 'json' ? 'application/json' : 'application/x-protobuf',
      );
    if (protobuf === undefined || protobufNext === undefined || json === undefined) throw new Error('too little came');
    expect(protobuf.resource).toEqual(json.resource);
    expect(Object.keys(protobuf.resource).sort()).toEqual(
      'host.arch host.id host.name os.name os.type os.version service.instance.id service.name service.version'.split(
        ' ',
      ),
    );
    expect(protobuf.schema).toBe('https://opentelemetry.io/schemas/1.44.0');
    expect([...protobuf.metrics.keys()]).toEqual([...json.metrics.keys()]);
    for (const [name, metric] of protobuf.metrics) {
      const other = json.metrics.get(name);
      expect([name, metric.unit, Object.keys(metric)]).toEqual([name, other?.unit ?? '', Object.keys(other ?? {})]);
      const points = (metric.sum ?? metric.gauge)?.dataPoints ?? [];
      expect(points.length).toBeGreaterThan(0);
      const times = new Set(points.map(({ timeUnixNano }) => timeUnixNano));
      expect(times.size).toBe(1);
      if (metric.sum === undefined) continue;
      expect(metric.sum.aggregationTemporality).toBe('AGGREGATION_TEMPORALITY_CUMULATIVE');
      // Counters have a start time, which does not move.
      const next = protobufNext.metrics.get(name)?.sum?.dataPoints ?? [];
      expect(
        points.every(
          ({ startTimeUnixNano, timeUnixNano }) =>
            BigInt(startTimeUnixNano ?? 0) > 0n && BigInt(startTimeUnixNano ?? 0) < BigInt(timeUnixNano),
        ),
      ).toBe(true);
      expect(next[0]?.startTimeUnixNano).toBe(points[0]?.startTimeUnixNano);
    }
    const memory = protobuf.metrics.get('system.memory.limit')?.sum?.dataPoints[0];
    expect(memory?.asInt).toBe(json.metrics.get('system.memory.limit')?.sum?.dataPoints[0]?.asInt);
    const [time] = protobuf.metrics.get('system.cpu.time')?.sum?.dataPoints ?? [];
    expect(time && attributesOf(time)).toEqual({ 'cpu.logical_number': 0, 'cpu.mode': 'user' });
    expect(time?.asDouble).toBeGreaterThan(0);
  });
});

describe('a collector', () => {
  test.concurrent('that asks to retry later is given time, and gets the same numbers afterwards', async () => {
    await using receiver = startReceiver();
    receiver.answer = ({ at }) =>
      at - (receiver.received[0]?.at ?? 0) < 8000
        ? new Response('busy', { status: 429, headers: { 'Retry-After': '8' } })
        : new Response(null);
    await using hostler = await startHostler({ prepare: otlpSettings({ endpoint: base(receiver) }) });
    await batches(receiver, 3);
    const [first, second] = receiver.received;
    expect((second?.at ?? 0) - (first?.at ?? 0)).toBeGreaterThanOrEqual(8000);
    expect(Buffer.compare(first?.body ?? new Uint8Array(), second?.body ?? new Uint8Array())).toBe(0);
    expect(hostler.output().match(/it answered 429 \(busy\)/g)).toHaveLength(1);
  });

  /** Both tests below share one run: it takes a while. */
  let absence: Promise<Receiver['received']> | undefined;
  const receivedAfterAbsence = () => {
    absence ??= refuseThenGoAway();
    return absence;
  };

  async function refuseThenGoAway(): Promise<Receiver['received']> {
    let receiver = startReceiver();
    const { port } = receiver;
    await using hostler = await startHostler({ prepare: otlpSettings({ endpoint: base(receiver) }) });
    try {
      receiver.answer = () => new Response('what is this', { status: 400 });
      await batches(receiver, 2);
      // A refused batch is not sent again.
      expect(
        Buffer.compare(receiver.received[0]?.body ?? new Uint8Array(), receiver.received[1]?.body ?? new Uint8Array()),
      ).not.toBe(0);
      await receiver[Symbol.asyncDispose]();
      await Bun.sleep(12_000);
      const doctor = await runHostler(['doctor'], { directory: hostler.directory });
      expect(doctor.stdout).toMatch(/✗ otlp .*batch(es)? waits?/);
      receiver = startReceiver({ port });
      await batches(receiver, 4);
      await until(() => (hostler.output().includes('accepts metrics again') ? true : null));
    } finally {
      await receiver[Symbol.asyncDispose]();
    }
    return receiver.received;
  }

  test.concurrent('that is away for a while has everything when it is back; one that refuses loses only what it refused', async () => {
    expect((await receivedAfterAbsence()).length).toBeGreaterThanOrEqual(4);
  });

  test.concurrent.skipIf(noDecoder !== null)(
    'that was away gets every batch once, in the order of collection',
    async () => {
      const received = await receivedAfterAbsence();
      const times = decodeOtlp(received.map(({ body }) => ({ encoding: 'protobuf', body }))).map(
        ({ metrics }) => Number(metrics.get('system.uptime')?.gauge?.dataPoints[0]?.timeUnixNano ?? 0) / 1e9,
      );
      const gaps = times.slice(1).map((time, index) => time - (times[index] ?? 0));
      expect(gaps).not.toBeEmpty();
      // A busy machine may take longer, but nothing is sent twice.
      expect(gaps.filter((gap) => gap <= 2)).toEqual([]);
    },
  );

  test.concurrent('whose connection is open but dead is reached over another one', async () => {
    const silent = new Set<net.Socket>();
    let isDead = true;
    await using receiver = startReceiver();
    const server = net.createServer((socket) => {
      if (isDead) return void silent.add(socket.on('error', () => {}));
      const onward = net.connect(receiver.port, '127.0.0.1');
      socket
        .on('error', () => {})
        .pipe(onward.on('error', () => {}))
        .pipe(socket);
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    try {
      await using hostler = await startHostler({ prepare: otlpSettings({ endpoint: base({ port }) }) });
      await until(() => (hostler.output().includes('timed out') ? true : null));
      isDead = false;
      await batches(receiver, 2);
      expect((await hostler.get('/api/health')).status).toBe(200);
    } finally {
      for (const socket of silent) socket.destroy();
      server.close();
    }
  });

  test.concurrent.skipIf(!needs('openssl'))(
    'must show a trusted certificate, whatever the environment says',
    async () => {
      using place = scratch();
      const { directory } = place;
      const { certificate, key } = selfSigned(directory, 'collector');
      const read = (file: string) => fs.readFileSync(file, 'utf8');
      await using receiver = startReceiver({ tls: { cert: read(certificate), key: read(key) } });
      const endpoint = `https://127.0.0.1:${receiver.port}`;
      await using hostler = await startHostler({
        prepare: otlpSettings({ endpoint }),
        env: { NODE_TLS_REJECT_UNAUTHORIZED: '0' },
      });
      await until(() => (/nothing could be sent to https:\S+ .*certificate/i.test(hostler.output()) ? true : null));
      expect(receiver.received).toEqual([]);
      const trust = await runHostler(['settings', 'set', 'otlp.caFile', certificate], { directory: hostler.directory });
      expect(trust.code).toBe(0);
      await batches(receiver, 1);
    },
  );

  test.concurrent('gets the headers from a file that only its owner can read, and they are shown to no client', async () => {
    const secret = 'Zm9vOmJhcg-s3cr3t';
    using place = scratch();
    const file = path.join(place.directory, 'headers');
    fs.writeFileSync(file, `# the token\nAuthorization: Bearer ${secret}\n`, { mode: 0o644 });
    await using receiver = startReceiver();
    receiver.answer = ({ headers }) =>
      new Response(`bad token ${headers.get('authorization')}`, {
        status: 401,
        headers: { 'Content-Type': 'text/plain' },
      });
    await using hostler = await startHostler({
      prepare: otlpSettings({ endpoint: base(receiver), headersFile: file }),
      env: { SERVICE_LOG_LEVEL: 'DEBUG' },
    });
    await until(() => (hostler.output().includes('can be read or changed by other users') ? true : null));
    expect(receiver.received).toEqual([]);
    fs.chmodSync(file, 0o600);
    await batches(receiver, 1);
    expect(receiver.received[0]?.headers.get('authorization')).toBe(`Bearer ${secret}`);
    await until(async () => {
      const { stdout } = await runHostler(['doctor'], { directory: hostler.directory });
      return stdout.includes('it answered 401 (bad token') && !stdout.includes(secret) ? true : null;
    });
    expect(hostler.output()).not.toContain(secret);
  });
});

test.concurrent('nothing is sent before it is switched on, and nothing after it is switched off', async () => {
  await using receiver = startReceiver();
  await using hostler = await startHostler();
  const set = (value: string) =>
    runHostler(['settings', 'set', 'otlp.endpoint', value], { directory: hostler.directory });
  expect((await set(base(receiver))).code).toBe(0);
  await batches(receiver, 1);
  await set('');
  await until(async () =>
    (await runHostler(['doctor'], { directory: hostler.directory })).stdout.includes('otlp') ? null : true,
  );
  const { length } = receiver.received;
  await Bun.sleep(1000);
  expect(receiver.received.length).toBe(length);
});
