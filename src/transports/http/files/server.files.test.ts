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
import { ownSockets } from '../../../host/linux/net/own-sockets.ts';
import { createFileSending } from './server.files.ts';

const size = 20_000_000;
const whole = Buffer.alloc(size);
for (let at = 0; at < size; at += 4) whole.writeUInt32LE(at, at);

const revoked = new Set<string>();
let tokensChanged = () => {};
let followers = 0;
const problems: string[] = [];
const sending = createFileSending({
  admits: (tokenId) => !revoked.has(tokenId),
  onTokensChange(changed) {
    tokensChanged = changed;
    followers += 1;
    return () => {
      followers -= 1;
    };
  },
  inspect: ownSockets.inspect,
  log: { warn: (problem) => void problems.push(problem) },
});

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
      const file = openFile(request.url.includes('/stream'));
      const tokenId = new URL(request.url).searchParams.get('token') ?? 'any';
      const body = sending.body(request, file, { start: 4, end: file.size, tokenId });
      const peer = () => running.requestIP(request) ?? { address: '', port: 0 };
      if (request.url.includes('/patient')) sending.handled(running, request, peer);
      return new Response(body, { headers: { Connection: 'close' } });
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
    new Response(sending.body(new Request('http://x'), short, { start: 0, end: size, tokenId: 'any' })).arrayBuffer(),
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

describe.each(['/patient', '/patient/stream'])('a download at %s', (route) => {
  test('ends when its token is revoked, and one with another token continues', async () => {
    const lost = await pausedDownload(`${route}?token=lost${route}`);
    const kept = await pausedDownload(`${route}?token=kept`);
    revoked.add(`lost${route}`);
    tokensChanged();
    // A stream ends with the next piece; the kernel would send all of a file as fast as the client reads.
    if (route === '/patient') await until(() => openFiles() === 1, 'the end of the connection');
    for (const { client } of [lost, kept]) client.resume();
    await until(() => lost.client.destroyed && kept.client.destroyed, 'the end of both');
    expect(lost.received().length).toBeLessThan(size);
    expect(kept.received().length).toBeGreaterThan(size);
    expect(problems).toEqual([]);
  }, 30_000);

  test('does not begin with a token that was revoked meanwhile', async () => {
    const file = openFile(route.includes('/stream'));
    const part = { start: 0, end: size, tokenId: `lost${route}` };
    expect(() => sending.body(new Request('http://x'), file, part)).toThrow('no longer grants files');
    file.close();
  });
});

test('tokens are followed only while a download may run', async () => {
  const { client } = await pausedDownload('/patient');
  expect(followers).toBe(1);
  client.destroy();
  revoked.add('any');
  tokensChanged();
  await until(() => followers === 0, 'completed downloads are forgotten');
  revoked.delete('any');
});
