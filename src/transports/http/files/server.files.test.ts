// Not on Windows: the test counts open files in /proc.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test';
import fs from 'node:fs';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import { atOnce } from '../../../../test/harness/at-once.ts';
import { realContained } from '../../../../test/harness/contained.ts';
import { until } from '../../../../test/harness/until.ts';
import type { ServedFile } from '../../../core/files/served-file.ts';
import type { Bytes, Outcome } from '../../../host/contained/contained.ts';
import { createFileSending } from './server.files.ts';

const size = 20_000_000;
const whole = Buffer.alloc(size);
for (let at = 0; at < size; at += 4) whole.writeUInt32LE(at, at);

let directory: string;
let server: ReturnType<typeof serve>;
let closed = 0;
beforeAll(() => {
  directory = fs.mkdtempSync(path.join(os.tmpdir(), 'hostler-body-'));
  fs.writeFileSync(path.join(directory, 'large.mp4'), whole);
  server = serve(60);
});
afterAll(async () => {
  await server.stop(true);
  fs.rmSync(directory, { recursive: true });
});

function openFile(streamed: boolean): ServedFile {
  const entry = atOnce(realContained().find(directory, 'large.mp4'));
  if (typeof entry === 'string') throw new Error(entry);
  const file = atOnce(entry.open());
  entry.close();
  if (typeof file === 'string') throw new Error(file);
  return {
    name: 'large.mp4',
    size: entry.size,
    modifiedMs: 0,
    etag: '""',
    contentType: 'video/mp4',
    descriptorPath: streamed ? null : file.path,
    read: (start, end) => toBytes(atOnce(file.read(start, end))),
    close() {
      closed += 1;
      file.close();
    },
  };
}

const toBytes = (outcome: Outcome<Bytes>): Bytes => {
  if (typeof outcome === 'string') throw new Error(outcome);
  return outcome;
};

/** A loaded machine exceeds an idle limit of one second: only the test of that limit uses it. /stream as on a system without paths for descriptors; /patient with our limit instead of the runtime's. */
const serve = (idleTimeout: number) =>
  Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout,
    fetch(request, running) {
      const sending = createFileSending();
      const file = openFile(request.url.includes('/stream'));
      const response = new Response(sending.body(request, file, 4, file.size), { headers: { Connection: 'close' } });
      if (request.url.includes('/patient')) sending.handled(running, request);
      return response;
    },
  });

/** Reads the first bytes, and the rest on request: the rest exceeds the socket buffers. */
async function pausedDownload(route: string, from = server) {
  const client = net.connect(Number(from.port), '127.0.0.1');
  const chunks: Buffer[] = [];
  client.on('error', () => {});
  client.on('data', (chunk) => chunks.push(Buffer.from(chunk)));
  client.once('data', () => client.pause());
  client.write(`GET ${route} HTTP/1.1\r\nHost: localhost\r\n\r\n`);
  await until(() => chunks.length > 0, 'the first bytes');
  return { client, received: () => Buffer.concat(chunks) };
}

const openFiles = () =>
  fs.readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return fs.readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(directory);
    } catch {
      return false;
    }
  }).length;

describe.each(['/file', '/stream'])('a body at %s', (route) => {
  test('is the requested range, and no file stays open', async () => {
    const response = await fetch(`http://127.0.0.1:${server.port}${route}`);
    expect(whole.subarray(4).equals(Buffer.from(await response.arrayBuffer()))).toBe(true);
    await until(() => openFiles() === 0, 'the file is closed');
  });

  test('that is not read to the end leaves no file open', async () => {
    const before = closed;
    const { client } = await pausedDownload(route);
    expect(openFiles()).toBe(1);
    client.destroy();
    await until(() => openFiles() === 0 && closed === before + 1, 'the file is closed');
  });
});

test('the stream of a file that shrinks is aborted', async () => {
  const file = openFile(true);
  const short: ServedFile = { ...file, read: (start, end) => file.read(start, Math.min(end, 100_000)) };
  await expect(
    new Response(createFileSending().body(new Request('http://x'), short, 0, size)).arrayBuffer(),
  ).rejects.toThrow('became shorter');
  await until(() => openFiles() === 0, 'the file is closed');
});

test('a client that pauses longer than the idle limit still gets the rest', async () => {
  await using hurried = serve(1);
  const patient = await pausedDownload('/patient', hurried);
  // The runtime checks its limits at intervals: two of them pass.
  for (const _time of [1, 2]) {
    const { client } = await pausedDownload('/file', hurried);
    expect(openFiles()).toBe(2);
    await until(() => openFiles() === 1, 'the runtime gives the other one up');
    client.destroy();
  }
  patient.client.resume();
  await until(() => patient.client.destroyed, 'the end of the file');
  const body = patient.received().subarray(4 - size);
  expect(body.equals(whole.subarray(4))).toBe(true);
}, 90_000);
