import { describe, expect, test } from 'bun:test';
import { fakeClock, memoryStorage } from '../../../test/doubles/fake-host.ts';
import { defaultSettings } from '../../features/index.ts';
import type { PostOrder, PostResponse } from '../../host/post.ts';
import { parseExportResponse } from './response.ts';
import { createSend, metricsUrl, parseHeaders, readHeaders, shownUrl } from './send.ts';

const batch = { body: new Uint8Array([1]), points: 1 };
const file = '/home/me/headers';

const headers = 'Authorization: Bearer s3cr3t-value\n';

function sender(answer: Partial<PostResponse> | Error, endpoint = 'https://collector:4318') {
  const orders: PostOrder[] = [];
  const storage = memoryStorage({ [file]: headers, '/ca.pem': 'the authorities' });
  const post = async (order: PostOrder): Promise<PostResponse> => {
    orders.push(order);
    if (answer instanceof Error) throw answer;
    return { status: 200, header: () => null, body: new Uint8Array(), ...answer };
  };
  const otlp = { ...defaultSettings.otlp, endpoint, headersFile: file, caFile: '/ca.pem' };
  const send = createSend({ post, storage, clock: fakeClock() }, otlp);
  return { orders, storage, send: () => send(batch, new AbortController().signal) };
}

const text = (content: string, status: number, more: Record<string, string> = {}): Partial<PostResponse> => ({
  status,
  header: (name) => ({ 'content-type': 'text/plain; charset=utf-8', ...more })[name] ?? null,
  body: new TextEncoder().encode(content),
});

describe('an export request', () => {
  test('carries the headers of the file and those of OTLP', async () => {
    const { orders, send } = sender({});
    expect(await send()).toEqual({ kind: 'sent', partial: null });
    expect(orders[0]).toMatchObject({
      url: 'https://collector:4318/v1/metrics',
      headers: {
        Authorization: 'Bearer s3cr3t-value',
        'Content-Type': 'application/x-protobuf',
        'Content-Encoding': 'gzip',
      },
      authorities: 'the authorities',
    });
  });

  test.each([
    [503, { 'retry-after': '7' }, { kind: 'later', askedForMs: 7000 }],
    [429, {}, { kind: 'later', askedForMs: null }],
    [401, {}, { kind: 'refused' }],
    [302, {}, { kind: 'refused' }],
    [500, {}, { kind: 'refused' }],
  ] as const)('that is answered with %d', async (status, headers, outcome) => {
    expect(await sender(text('no', status, headers)).send()).toMatchObject({
      ...outcome,
      problem: `it answered ${status} (no)`,
    });
  });

  test('that fails is retried later', async () => {
    expect(await sender(new Error('The operation timed out.')).send()).toMatchObject({
      kind: 'later',
      problem: 'The operation timed out.',
    });
  });

  test('never reveals a secret, even if the server or an error repeats it', async () => {
    const echo = 'bad header Authorization: Bearer s3cr3t-value (s3cr3t-value)';
    const cutInside = `${'x'.repeat(190)}s3cr3t-value`;
    for (const answer of [text(echo, 401), new Error(echo), text(cutInside, 401)])
      expect(JSON.stringify(await sender(answer).send())).not.toContain('s3cr3t');
  });

  test('never reveals a secret that a partial success repeats, and cuts its message', async () => {
    const partialSuccess = { rejectedDataPoints: 1, errorMessage: `no Bearer s3cr3t-value ${'x'.repeat(300)}` };
    const answer = text(JSON.stringify({ partialSuccess }), 200, { 'content-type': 'application/json' });
    expect(await sender(answer).send()).toEqual({
      kind: 'sent',
      partial: { rejected: 1, message: `no … ${'x'.repeat(195)}` },
    });
  });

  test('never reveals what the address has besides its host', async () => {
    const endpoint = 'https://user:s3cr3t-p@collector/v1/s3cr3t-path/otlp?key=s3cr3t-key';
    expect(shownUrl(endpoint)).toBe('https://collector');
    for (const answer of [
      text('no POST /v1/s3cr3t-path/otlp/v1/metrics s3cr3t-key', 404),
      new Error(`cannot reach ${endpoint}`),
    ])
      expect(JSON.stringify(await sender(answer, endpoint).send())).not.toContain('s3cr3t');
  });

  test('is not sent without its configured headers', async () => {
    const { orders, storage, send } = sender({});
    storage.secretExposure = async () => ({ problem: 'its mode is 644', fix: 'chmod 600 it' });
    expect(await send()).toMatchObject({
      kind: 'later',
      problem: `${file} can be read or changed by other users: its mode is 644. Run "chmod 600 it"`,
    });
    storage.secretExposure = async () => null;
    storage.remove(file);
    expect(await send()).toMatchObject({ kind: 'later', problem: `${file} does not exist` });
    expect(orders).toEqual([]);
    storage.write(file, 'X: 1');
    expect(await send()).toMatchObject({ kind: 'sent' });
  });

  test.each([
    ['http://c:4318', 'http://c:4318/v1/metrics'],
    ['http://c:4318/', 'http://c:4318/v1/metrics'],
    ['http://c:9090/api/v1/otlp', 'http://c:9090/api/v1/otlp/v1/metrics'],
    ['https://c/otlp/v1/metrics', 'https://c/otlp/v1/metrics'],
    ['https://c/otlp?tenant=a', 'https://c/otlp/v1/metrics?tenant=a'],
  ])('to %s goes to %s', (endpoint, url) => {
    expect(metricsUrl(endpoint)).toBe(url);
  });
});

describe('the headers file', () => {
  test('has one header on each line', () => {
    expect(
      parseHeaders('# for the collector\r\n\r\nAuthorization: Basic YTpi\n  X-Scope-OrgID :  school: one \n', file),
    ).toEqual({
      Authorization: 'Basic YTpi',
      'X-Scope-OrgID': 'school: one',
    });
  });

  test.each([
    ['secret', 'line 1 of /home/me/headers must have the form'],
    ['X: a\nBad Name: secret', 'line 2'],
    ['X:', 'line 1'],
    ['X: a\u0001secret', 'line 1'],
    ['X: schlüssel…secret', 'line 1'],
    ['content-type: secret', 'sets content-type, which only Hostler sets'],
    ['Host: secret', 'sets Host'],
  ])('%j is refused without being repeated', (content, sentence) => {
    expect(() => parseHeaders(content, file)).toThrow(sentence);
    expect(() => parseHeaders(content, file)).not.toThrow('secret');
  });

  test('needs an absolute path', async () => {
    await expect(readHeaders(memoryStorage(), 'headers')).rejects.toThrow('absolute');
  });
});

describe('the response of a collector', () => {
  const bytes = (...given: number[]) => new Uint8Array(given);
  test.each([
    ['nothing', bytes(), null, null],
    ['an empty part', bytes(0x0a, 0), 'application/x-protobuf', null],
    [
      'three rejected',
      bytes(0x0a, 7, 0x08, 3, 0x12, 3, 0x6f, 0x6c, 0x64),
      'application/x-protobuf',
      { rejected: 3, message: 'old' },
    ],
    ['a part that is cut off', bytes(0x0a, 9, 0x08), 'application/x-protobuf', null],
    ['a number without end', bytes(...new Array(20).fill(255)), 'application/x-protobuf', null],
    ['unknown fields', bytes(0x19, 1, 2, 3, 4, 5, 6, 7, 8, 0x1d, 1, 2, 3, 4), null, null],
    ['a page', new TextEncoder().encode('<html>'), 'text/html', null],
    ['empty JSON', new TextEncoder().encode('{}'), 'application/json', null],
    [
      'JSON',
      new TextEncoder().encode('{"partialSuccess":{"rejectedDataPoints":"2","errorMessage":"x"}}'),
      'application/json; charset=utf-8',
      { rejected: 2, message: 'x' },
    ],
    ['broken JSON', new TextEncoder().encode('{'), 'application/json', null],
  ])('%s', (_name, body, contentType, found) => {
    expect(parseExportResponse(body, contentType)).toEqual(found);
  });
});
