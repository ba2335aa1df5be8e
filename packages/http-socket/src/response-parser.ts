/** Status and headers. Names of headers are in lower case. */
export interface ResponseHead {
  status: number;
  headers: ReadonlyMap<string, string>;
}

export interface ResponseEvents {
  head(head: ResponseHead): void;
  /** A piece of the body; the memory belongs to the socket: copy what must outlive the call. */
  piece(bytes: Uint8Array): void;
  /** Once, when the body is complete. */
  end(): void;
}

export interface ResponseParser {
  /** Throws on invalid HTTP, or excessive length. */
  take(bytes: Uint8Array): void;
  /** The connection is closed. Throws if the response is incomplete. */
  closed(): void;
}

const longestHead = 64 * 1024;
const longestLine = 8 * 1024;
/** Of sizes, trailers and interim responses; twice as many bytes of the body allow more. */
const mostFraming = 64 * 1024;

/** What is expected next. */
type Expected = 'head' | 'sized' | 'until_close' | 'chunk_size' | 'chunk' | 'chunk_end' | 'trailer' | 'nothing';

export function createResponseParser(events: ResponseEvents): ResponseParser {
  let expected: Expected = 'head';
  let remaining = 0;
  /** An incomplete line or head. */
  let begun = '';
  let framing = 0;
  let received = 0;

  const end = () => {
    expected = 'nothing';
    events.end();
  };

  /** The text before the mark; null: the mark has not arrived, and all bytes are buffered. */
  const upTo = (mark: string, bytes: Buffer, most: number): { text: string; rest: Buffer } | null => {
    const before = begun.length;
    // Only what is needed: many short lines may have arrived.
    const last = before === 0 ? bytes.indexOf(mark) + mark.length : bytes.length;
    const end = last < mark.length ? bytes.length : last;
    // The mark may begin in the earlier bytes.
    const from = Math.max(0, before - mark.length + 1);
    const joined = begun + bytes.toString('latin1', 0, Math.min(end, most + mark.length));
    const at = joined.indexOf(mark, from);
    if (at === -1) {
      if (joined.length > most) throw new Error('its response has an unterminated line or header');
      begun = joined;
      return null;
    }
    begun = '';
    framing += at + mark.length;
    if (framing > mostFraming + received / 2) throw new Error('its response has more framing than content');
    return { text: joined.slice(0, at), rest: bytes.subarray(at + mark.length - before) };
  };

  const begin = (head: ResponseHead) => {
    // An interim response; the final one follows.
    if (head.status >= 100 && head.status < 200) return;
    events.head(head);
    if (head.status === 204 || head.status === 304) return end();
    if (head.headers.get('transfer-encoding') !== undefined) {
      if (head.headers.get('transfer-encoding')?.toLowerCase() !== 'chunked')
        throw new Error('its response has a transfer coding that was not requested');
      expected = 'chunk_size';
      return;
    }
    const length = head.headers.get('content-length');
    if (length === undefined) {
      expected = 'until_close';
      return;
    }
    if (!/^\d{1,15}$/.test(length)) throw new Error('its response has an invalid Content-Length');
    remaining = Number(length);
    expected = 'sized';
    if (remaining === 0) end();
  };

  const body = (bytes: Buffer): Buffer => {
    const taken = bytes.subarray(0, remaining);
    remaining -= taken.length;
    received += taken.length;
    events.piece(taken);
    return bytes.subarray(taken.length);
  };

  /** One step; returns the remaining bytes. */
  const step = (bytes: Buffer): Buffer => {
    switch (expected) {
      case 'head': {
        const found = upTo('\r\n\r\n', bytes, longestHead);
        if (found === null) return nothing;
        begin(parseHead(found.text));
        return found.rest;
      }
      case 'sized': {
        const rest = body(bytes);
        if (remaining === 0) end();
        return rest;
      }
      case 'until_close':
        events.piece(bytes);
        return nothing;
      case 'chunk_size': {
        const found = upTo('\r\n', bytes, longestLine);
        if (found === null) return nothing;
        const size = /^([0-9a-f]{1,12})[ \t]*(?:;|$)/i.exec(found.text)?.[1];
        if (size === undefined) throw new Error('its response has a chunk without a size');
        remaining = Number.parseInt(size, 16);
        expected = remaining === 0 ? 'trailer' : 'chunk';
        return found.rest;
      }
      case 'chunk': {
        const rest = body(bytes);
        if (remaining === 0) expected = 'chunk_end';
        return rest;
      }
      case 'chunk_end': {
        const found = upTo('\r\n', bytes, longestLine);
        if (found === null) return nothing;
        if (found.text !== '') throw new Error('its response has a chunk that is longer than its size');
        expected = 'chunk_size';
        return found.rest;
      }
      case 'trailer': {
        const found = upTo('\r\n', bytes, longestLine);
        if (found === null) return nothing;
        if (found.text === '') end();
        return found.rest;
      }
      // Bytes after the end are ignored.
      case 'nothing':
        return nothing;
    }
  };

  return {
    take(bytes) {
      let rest = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      while (rest.length > 0) rest = step(rest);
    },
    closed() {
      if (expected === 'until_close') end();
      else if (expected !== 'nothing') throw new Error('it closed the connection before its response was complete');
    },
  };
}

const nothing = Buffer.alloc(0);

function parseHead(text: string): ResponseHead {
  const [first = '', ...lines] = text.split('\r\n');
  const status = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first)?.[1];
  if (status === undefined) throw new Error('its response is not HTTP');
  const headers = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf(':');
    if (at > 0) headers.set(line.slice(0, at).toLowerCase(), line.slice(at + 1).trim());
  }
  return { status: Number(status), headers };
}
