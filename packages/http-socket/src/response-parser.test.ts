import { expect, test } from 'bun:test';
import { createResponseParser } from './response-parser.ts';

function parsed(pieces: readonly (string | Uint8Array)[], closes = true) {
  const seen = { status: 0, body: '', ended: 0, headers: new Map<string, string>() as ReadonlyMap<string, string> };
  const parser = createResponseParser({
    head: ({ status, headers }) => Object.assign(seen, { status, headers }),
    piece: (bytes) => {
      seen.body += Buffer.from(bytes).toString('latin1');
    },
    end: () => {
      seen.ended += 1;
    },
  });
  for (const piece of pieces) parser.take(Buffer.from(piece as string));
  if (closes) parser.closed();
  return seen;
}

const sized = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-A: b : c\r\n\r\nhello';
const chunked =
  'HTTP/1.1 200 OK\r\ntransfer-encoding: Chunked\r\n\r\n5;x=y\r\nhello\r\nA\r\n, worlds!\n\r\n0\r\nX: y\r\n\r\n';
const open = 'HTTP/1.0 200\r\n\r\nhello';
const interim = `HTTP/1.1 100 Continue\r\n\r\n${sized}`;

test.each([
  [sized, 'hello'],
  [chunked, 'hello, worlds!\n'],
  [open, 'hello'],
  [interim, 'hello'],
])('the response %j is parsed the same wherever it is cut in two', (text, body) => {
  for (let at = 0; at <= text.length; at += 1) {
    const { status, body: got, ended } = parsed([text.slice(0, at), text.slice(at)]);
    expect([status, got, ended]).toEqual([200, body, 1]);
  }
  expect(parsed([...text]).body).toBe(body);
});

test('headers are found by their names in lower case', () => {
  expect(parsed([sized]).headers.get('x-a')).toBe('b : c');
});

test.each([204, 304])('status %d has no body, whatever its length says', (status) => {
  expect(parsed([`HTTP/1.1 ${status} X\r\nContent-Length: 9\r\n\r\n`], false).ended).toBe(1);
});

test('bytes after the end are ignored', () => {
  expect(parsed([`${sized}HTTP/1.1 500 No\r\n\r\n`])).toMatchObject({ status: 200, body: 'hello', ended: 1 });
});

test.each([
  ['SSH-2.0-OpenSSH\r\n\r\n', 'is not HTTP'],
  ['HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n', 'invalid Content-Length'],
  ['HTTP/1.1 200 OK\r\nContent-Length: 1e9\r\n\r\n', 'invalid Content-Length'],
  ['HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n', 'transfer coding'],
  ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n', 'chunk without a size'],
  ['HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhello\r\n', 'longer than its size'],
  ['x'.repeat(70_000), 'unterminated line or header'],
  [`HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${'0'.repeat(10_000)}`, 'unterminated line or header'],
])('the invalid response %.60j is refused', (text, why) => {
  expect(() => parsed([text])).toThrow(why);
});

test.each(['', 'HTTP/1.1 200 OK\r\n', sized.slice(0, -1), chunked.slice(0, -4)])(
  'a truncated response is refused: %j',
  (text) => {
    expect(() => parsed([text])).toThrow('before its response was complete');
  },
);

const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n';

test.each([
  ['chunks of one byte', head + '1\r\nx\r\n'.repeat(100_000)],
  ['trailers', `${head}0\r\n${'a\r\n'.repeat(100_000)}`],
  ['interim responses', 'HTTP/1.1 100 Continue\r\n\r\n'.repeat(10_000)],
  ['extensions of a chunk', head + `1;${'e'.repeat(8000)}\r\nx\r\n`.repeat(20)],
])('endless %s are refused', (_what, text) => {
  expect(() => parsed([text])).toThrow('more framing than content');
  expect(() => parsed(text.match(/.{1,1000}/gs) ?? [])).toThrow('more framing than content');
});

test('short lines of a log in chunks of their own are no excess', () => {
  expect(parsed([`${head}${'a\r\n0123456789\r\n'.repeat(100_000)}0\r\n\r\n`])).toMatchObject({ ended: 1 });
});
