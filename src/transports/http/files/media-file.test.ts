import { describe, expect, test } from 'bun:test';
import fc from 'fast-check';
import { atOnce } from '../../../../test/harness/at-once.ts';
import type { ServedFile } from '../../../core/files/served-file.ts';
import { type ErrorCode, ServiceError } from '../../../lib/errors.ts';
import { mediaFile } from './media-file.ts';

/** A directory in memory; other files are not found, and an error stands for a refused file. */
function library(files: Record<string, string | ErrorCode[]>) {
  const opened: string[] = [];
  const authorized: string[] = [];
  let openNow = 0;
  const fileOf = (name: string, content: string): ServedFile => {
    openNow += 1;
    let closed = false;
    return {
      name,
      size: content.length,
      modifiedMs: Date.parse('Sun, 06 Nov 1994 08:49:37 GMT'),
      etag: '"tag"',
      contentType: 'audio/mpeg',
      descriptorPath: null,
      read: (start, end) => new Uint8Array(Buffer.from(content.slice(start, end))),
      close() {
        if (!closed) openNow -= 1;
        closed = true;
      },
    };
  };
  const get = (rawQuery: string, headers: Record<string, string> = {}, method = 'GET') =>
    mediaFile(
      {
        authorize(token) {
          authorized.push(token);
          if (token !== 'T') throw new ServiceError('unauthorized', 'wrong token');
          return 'id of T';
        },
        openTicket(ticket) {
          if (ticket !== 'good') throw new ServiceError('unauthorized', 'run out');
          return { base: 'music', path: 'a.mp3', tokenId: 'id of the ticket' };
        },
        open(base, path) {
          opened.push(`${base}/${path}`);
          const content = files[`${base}/${path}`];
          if (typeof content === 'string') return fileOf(path, content);
          const [code = 'not_found'] = content ?? [];
          throw new ServiceError(code, `${path}: ${code}`);
        },
        body(file, { start, end }) {
          const bytes = atOnce(file.read(start, end));
          file.close();
          return new Blob([bytes]);
        },
      },
      { method, rawQuery, headers: new Headers(headers) },
    );
  const refusal = async (rawQuery: string): Promise<string> => {
    try {
      await get(rawQuery);
      return 'none';
    } catch (thrown) {
      if (thrown instanceof ServiceError) return thrown.code;
      throw thrown;
    }
  };
  return { get, refusal, opened, authorized, openNow: () => openNow };
}

const song = { 'music/song.mp3': '0123456789' };
const query = 'token=T&base=music&path=song.mp3';

describe('the order of checks', () => {
  test.each(['HEAD', 'POST', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])(
    '%s is refused before any other check',
    async (method) => {
      const { get, authorized } = library(song);
      const response = await get('', {}, method);
      expect(response.status).toBe(405);
      expect(response.headers.get('allow')).toBe('GET');
      expect(await response.json()).toEqual({ error: expect.any(String) });
      expect(authorized).toEqual([]);
    },
  );

  test.each([
    ['', 'base, path, token'],
    ['token=T', 'base, path'],
    ['base=music&path=song.mp3', 'token'],
    ['token=wrong&base=music&path=', 'path'],
    ['token=&base=music&path=song.mp3', 'token'],
  ])('%j lacks %s, and no token is checked', async (rawQuery, missing) => {
    const { get, authorized } = library(song);
    await expect(get(rawQuery)).rejects.toThrow(`The query needs base, path and token; missing: ${missing}`);
    expect(authorized).toEqual([]);
  });

  test('a wrong token is checked once for all readings of the query, and no file is opened', async () => {
    const { refusal, authorized, opened } = library(song);
    expect(await refusal('token=wrong&base=no+where&path=a+b%20c&d.mp3')).toBe('unauthorized');
    expect(authorized).toEqual(['wrong']);
    expect(opened).toEqual([]);
  });
});

describe('a name that was not encoded', () => {
  test.each(['C++.mp3', '100%.mp3', '50%20off.mp3', 'Tom & Jerry.mp3', 'a=b&c=d.mp3', 'x#y.mp3', 'plain name.mp3'])(
    '%s is found as it is',
    async (name) => {
      const { get } = library({ [`music/${name}`]: 'found' });
      expect(await (await get(`token=T&base=music&path=${name}`)).text()).toBe('found');
    },
  );

  test('the reading of a client that encodes takes precedence', async () => {
    const { get } = library({ 'music/a b.mp3': 'space', 'music/a+b.mp3': 'plus', 'music/a%2Bb.mp3': 'raw' });
    expect(await (await get('token=T&base=music&path=a+b.mp3')).text()).toBe('space');
    expect(await (await get('token=T&base=music&path=a%2Bb.mp3')).text()).toBe('plus');
  });
});

describe('when no reading finds a file', () => {
  test.each<[string, Record<string, ErrorCode[]>, string]>([
    ['the first says what is wrong', { 'music/a b.mp3': ['forbidden'], 'music/a+b.mp3': ['too_large'] }, 'forbidden'],
    ['nothing is there at all', {}, 'not_found'],
    ['one that is there but too large', { 'music/a+b.mp3': ['too_large'] }, 'too_large'],
    ['one that is there but not served', { 'music/a+b.mp3': ['forbidden'] }, 'forbidden'],
    ['a base that another reading does not know', { 'music/a+b.mp3': ['invalid'] }, 'not_found'],
  ])('%s', async (_name, files, code) => {
    expect(await library(files).refusal('token=T&base=music&path=a+b.mp3')).toBe(code);
  });

  test('an unexpected error is not hidden by another reading', async () => {
    const parts = {
      authorize: () => 'id',
      openTicket: () => ({ base: 'music', path: 'a.txt', tokenId: 'id' }),
      open: () => {
        throw new TypeError('broken');
      },
      body: () => new Blob(),
    };
    const request = { method: 'GET', rawQuery: 'token=T&base=b&path=a+b', headers: new Headers() };
    await expect(mediaFile(parts, request)).rejects.toThrow(TypeError);
  });
});

describe('a ticket', () => {
  test('is valid for its file alone; with other parameters, or expired, it is not', async () => {
    const { get, refusal } = library({ 'music/a.mp3': 'tune', 'music/b.mp3': 'other' });
    expect((await get('ticket=good')).status).toBe(200);
    expect(await refusal('ticket=bad')).toBe('unauthorized');
    for (const query of [
      'ticket=good&path=b.mp3',
      'base=music&path=a.mp3&ticket=good',
      'ticket=',
      'ticket=good&ticket=good',
    ])
      expect([query, await refusal(query)]).toEqual([query, 'invalid']);
  });
});

describe('the response', () => {
  test('has every header', async () => {
    const { get, openNow } = library(song);
    const response = await get(query);
    expect(response.status).toBe(200);
    expect(Object.fromEntries(response.headers)).toEqual({
      'accept-ranges': 'bytes',
      'cache-control': 'private, no-cache',
      'content-disposition': `inline; filename="song.mp3"; filename*=UTF-8''song.mp3`,
      'content-length': '10',
      'content-security-policy':
        "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin allow-downloads",
      'content-type': 'audio/mpeg',
      etag: '"tag"',
      'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT',
      'referrer-policy': 'no-referrer',
      'x-content-type-options': 'nosniff',
    });
    expect(await response.text()).toBe('0123456789');
    expect(openNow()).toBe(0);
  });

  test.each([
    ['bytes=2-4', 'bytes 2-4/10', '234'],
    ['bytes=-3', 'bytes 7-9/10', '789'],
    ['bytes=0-', 'bytes 0-9/10', '0123456789'],
  ])('to %s is a part', async (range, contentRange, text) => {
    const response = await library(song).get(query, { Range: range });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(contentRange);
    expect(response.headers.get('content-length')).toBe(String(text.length));
    expect(await response.text()).toBe(text);
  });

  test('to a range beyond the end contains the file length', async () => {
    const { get, openNow } = library(song);
    const response = await get(query, { Range: 'bytes=10-' });
    expect(response.status).toBe(416);
    expect(response.headers.get('content-range')).toBe('bytes */10');
    expect(response.headers.get('content-type')).toBe('application/json');
    expect(await response.json()).toEqual({ error: expect.any(String) });
    expect(openNow()).toBe(0);
  });

  test('to a range of another file state is the whole file', async () => {
    const response = await library(song).get(query, { Range: 'bytes=2-4', 'If-Range': '"old"' });
    expect([response.status, await response.text()]).toEqual([200, '0123456789']);
  });

  test('to a client with the current state is 304 without a body', async () => {
    const { get, openNow } = library(song);
    const response = await get(query, { 'If-None-Match': '"tag"', Range: 'bytes=99-' });
    expect(response.status).toBe(304);
    expect([...response.headers.keys()].sort()).toEqual(['cache-control', 'etag', 'last-modified']);
    expect(await response.text()).toBe('');
    expect(openNow()).toBe(0);
  });

  test('to a failed precondition is 412', async () => {
    const { get, openNow } = library(song);
    expect((await get(query, { 'If-Match': '"old"' })).status).toBe(412);
    expect(openNow()).toBe(0);
  });

  test('of an empty file is empty, also for a range', async () => {
    const response = await library({ 'music/song.mp3': '' }).get(query, { Range: 'bytes=0-' });
    expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', '']);
  });

  test('closes the connection only if the file is read while it is sent', async () => {
    const { get, openNow } = library({
      'music/small.mp3': 'x'.repeat(262_144),
      'music/large.mp3': 'x'.repeat(262_145),
    });
    expect((await get('token=T&base=music&path=small.mp3')).headers.has('connection')).toBe(false);
    expect((await get('token=T&base=music&path=large.mp3')).headers.get('connection')).toBe('close');
    expect((await get('token=T&base=music&path=large.mp3', { Range: 'bytes=0-9' })).headers.has('connection')).toBe(
      false,
    );
    expect(openNow()).toBe(0);
  });

  test('is an error when the file shrank, and the file is closed', async () => {
    let closed = 0;
    const file: ServedFile = {
      name: 'x.txt',
      size: 10,
      modifiedMs: 0,
      etag: '"t"',
      contentType: 'text/plain',
      descriptorPath: null,
      read: () => new Uint8Array(3),
      close: () => {
        closed += 1;
      },
    };
    const parts = {
      authorize: () => 'id',
      openTicket: () => ({ base: 'music', path: 'a.txt', tokenId: 'id' }),
      open: () => file,
      body: () => new Blob(),
    };
    await expect(mediaFile(parts, { method: 'GET', rawQuery: query, headers: new Headers() })).rejects.toThrow(
      'became shorter',
    );
    expect(closed).toBe(1);
  });

  test('has no date in the future', async () => {
    const file: ServedFile = {
      name: 'x.txt',
      size: 0,
      modifiedMs: Date.now() + 86_400_000,
      etag: '"t"',
      contentType: 'text/plain',
      descriptorPath: null,
      read: () => new Uint8Array(0),
      close: () => {},
    };
    const parts = {
      authorize: () => 'id',
      openTicket: () => ({ base: 'music', path: 'a.txt', tokenId: 'id' }),
      open: () => file,
      body: () => new Blob(),
    };
    const response = await mediaFile(parts, { method: 'GET', rawQuery: query, headers: new Headers() });
    expect(response.headers.has('last-modified')).toBe(false);
  });
});

describe('a file that opens asynchronously', () => {
  const later = (
    contents: Record<string, string | ErrorCode>,
    rawQuery: string,
    headers: Record<string, string> = {},
  ) => {
    const opened: string[] = [];
    let openNow = 0;
    const answer = mediaFile(
      {
        authorize: () => 'id',
        openTicket: () => ({ base: 'music', path: 'a.txt', tokenId: 'id' }),
        async open(_base, path) {
          opened.push(path);
          const content = contents[path] ?? 'not_found';
          if (!content.startsWith('content ')) throw new ServiceError(content as ErrorCode, `${path}: ${content}`);
          openNow += 1;
          return {
            name: path,
            size: content.length,
            modifiedMs: 0,
            etag: '"tag"',
            contentType: 'audio/mpeg',
            descriptorPath: null,
            read: async (start, end) => new Uint8Array(Buffer.from(content.slice(start, end))),
            close() {
              openNow -= 1;
            },
          };
        },
        body: (file) => new ReadableStream({ start: (controller) => controller.close(), cancel: file.close }),
      },
      { method: 'GET', rawQuery, headers: new Headers(headers) },
    );
    return { answer, opened, openNow: () => openNow };
  };

  test('is served like any other, and closed', async () => {
    const { answer, openNow } = later({ 'song.mp3': 'content 012345' }, query, { Range: 'bytes=8-9' });
    const response = await answer;
    expect([response.status, await response.text(), openNow()]).toEqual([206, '01', 0]);
  });

  test('is searched under every reading', async () => {
    const { answer, opened } = later({ 'a+b.mp3': 'content ' }, 'token=T&base=music&path=a+b.mp3');
    expect((await answer).status).toBe(200);
    expect(opened).toEqual(['a b.mp3', 'a+b.mp3']);
  });

  test.each<[Record<string, ErrorCode>, ErrorCode]>([
    [{ 'a b.mp3': 'failed', 'a+b.mp3': 'too_large' }, 'failed'],
    [{ 'a+b.mp3': 'too_large' }, 'too_large'],
    [{}, 'not_found'],
  ])('is refused as any other: %j, %s', async (contents, code) => {
    await expect(later(contents, 'token=T&base=music&path=a+b.mp3').answer).rejects.toMatchObject({ code });
  });
});

test('any query is answered or refused, and no file stays open', async () => {
  const { get, openNow } = library(song);
  const header = fc.oneof(
    fc.stringMatching(/^[\x20-\x7e]{0,40}$/),
    fc.constantFrom('bytes=0-', 'bytes=5-2', '"tag"', '*', 'W/"x"'),
  );
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(fc.string({ unit: 'binary' }), fc.constant(query)),
      fc.dictionary(fc.constantFrom('Range', 'If-Range', 'If-Match', 'If-None-Match', 'If-Modified-Since'), header),
      async (rawQuery, headers) => {
        try {
          expect([200, 206, 304, 412, 416]).toContain((await get(rawQuery, headers)).status);
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(ServiceError);
        }
        expect(openNow()).toBe(0);
      },
    ),
    { numRuns: 500 },
  );
});
