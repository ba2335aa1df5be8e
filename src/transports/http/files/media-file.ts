import type { OpenServedFile, ServedFile } from '../../../core/files/served-file.ts';
import { ServiceError } from '../../../lib/errors.ts';
import { problem } from '../respond.ts';
import { type MediaFileQuery, readingsOf, ticketIn } from './media-file.query.ts';
import { judgeConditions, rangeApplies, selectRange } from './ranges.ts';

export interface MediaFileParts {
  /** The id of the token or session. Throws when it does not grant files. */
  authorize(token: string): string;
  open: OpenServedFile;
  /** The file of a ticket. Throws when the ticket is not valid. */
  openTicket(ticket: string): { base: string; path: string; tokenId: string };
  /** A body that is read while it is sent. Takes ownership of the file and closes it. */
  body(file: ServedFile, part: SentPart): ConstructorParameters<typeof Response>[0];
}

export interface SentPart {
  start: number;
  end: number;
  /** Of the client: the response ends when this token or session no longer grants files. */
  tokenId: string;
}

interface Opened {
  file: ServedFile;
  tokenId: string;
}

export interface MediaFileRequest {
  method: string;
  /** After the question mark, as it was sent. */
  rawQuery: string;
  headers: Headers;
}

/** Files up to this size are read at once and the connection stays open: their content cannot change while it is sent. */
const readAtOnce = 256 * 1024;

/** GET /api/media/file/data. Throws refusals, except those of HTTP itself. */
export async function mediaFile(
  { authorize, open, openTicket, body }: MediaFileParts,
  { method, rawQuery, headers }: MediaFileRequest,
): Promise<Response> {
  if (method !== 'GET') return problem(405, 'A media file can only be read: use GET', { Allow: 'GET' });
  const ticket = ticketIn(rawQuery);
  if (ticket === null) return await answer(await firstOf(rawQuery, remembering(authorize), open), headers, body);
  const { base, path, tokenId } = openTicket(ticket);
  return await answer({ file: await open(base, path), tokenId }, headers, body);
}

/** Closes the file, unless ownership was transferred. */
async function answer({ file, tokenId }: Opened, headers: Headers, body: MediaFileParts['body']): Promise<Response> {
  let handedOver = false;
  try {
    const conditions = judgeConditions(headers, file);
    if (conditions === 'not_modified') return new Response(null, { status: 304, headers: stateOf(file) });
    if (conditions === 'failed')
      return problem(412, 'The file does not match the condition of the request', stateOf(file));
    const selection = rangeApplies(headers.get('if-range'), file) ? selectRange(headers.get('range'), file.size) : null;
    if (selection === 'unsatisfiable') {
      return problem(416, `The file has ${file.size} bytes; the range starts beyond its end`, {
        ...stateOf(file),
        'Content-Range': `bytes */${file.size}`,
      });
    }
    const { start, end } = selection ?? { start: 0, end: file.size };
    const head = { status: selection === null ? 200 : 206, headers: headersOf(file, start, end, selection !== null) };
    if (end - start <= readAtOnce) return new Response(await wholly(file, start, end), head);
    const sending = body(file, { start, end, tokenId });
    handedOver = true;
    return new Response(sending, head);
  } finally {
    if (!handedOver) file.close();
  }
}

/** The first file that opens; otherwise the error of the first reading, which is that of a client that encodes. */
async function firstOf(rawQuery: string, authorize: (token: string) => string, open: OpenServedFile): Promise<Opened> {
  let refusal: ServiceError | null = null;
  for (const reading of readingsOf(rawQuery)) {
    try {
      const { token, base, path } = complete(reading);
      const tokenId = authorize(token);
      return { file: await open(base, path), tokenId };
    } catch (thrown) {
      refusal = worseOf(refusal, thrown);
    }
  }
  throw refusal ?? new ServiceError('invalid', 'The query is empty');
}

/** A refused file under another reading is a more specific error than a missing one under the first. */
function worseOf(refusal: ServiceError | null, thrown: unknown): ServiceError {
  if (!(thrown instanceof ServiceError)) throw thrown;
  const saysMore = refusal?.code === 'not_found' && (thrown.code === 'forbidden' || thrown.code === 'too_large');
  return refusal === null || saysMore ? thrown : refusal;
}

function complete({ token, base, path }: MediaFileQuery): { token: string; base: string; path: string } {
  if (token !== null && base !== null && path !== null) return { token, base, path };
  const missing = Object.entries({ base, path, token }).flatMap(([name, value]) => (value === null ? [name] : []));
  throw new ServiceError('invalid', `The query needs base, path and token; missing: ${missing.join(', ')}`);
}

/** Authorises once per token, so that one request with a wrong token counts once. */
function remembering(authorize: (token: string) => string): (token: string) => string {
  const outcomes = new Map<string, () => string>();
  return (token) => {
    const outcome = outcomes.get(token) ?? attempt(() => authorize(token));
    outcomes.set(token, outcome);
    return outcome();
  };
}

function attempt(work: () => string): () => string {
  try {
    const result = work();
    return () => result;
  } catch (thrown) {
    return () => {
      throw thrown;
    };
  }
}

async function wholly(file: ServedFile, start: number, end: number): Promise<Uint8Array<ArrayBuffer>> {
  const bytes = await file.read(start, end);
  if (bytes.length === end - start) return bytes;
  throw new ServiceError('failed', 'The file became shorter while it was read; request it again');
}

function headersOf(file: ServedFile, start: number, end: number, partial: boolean): Record<string, string> {
  return {
    ...stateOf(file),
    'Content-Type': file.contentType,
    'Content-Length': String(end - start),
    'Content-Disposition': inlineAs(file.name),
    'Accept-Ranges': 'bytes',
    ...isolation,
    ...(partial ? { 'Content-Range': `bytes ${start}-${end - 1}/${file.size}` } : {}),
    // A file that shrinks while it is sent leaves a gap; only closing the connection reveals it to the client.
    ...(end - start > readAtOnce ? { Connection: 'close' } : {}),
  };
}

/**
 * Files are served from our own origin, and their address contains a token or a ticket: scripts, requests and the referrer are blocked.
 * Without `allow-same-origin` browsers do not play media that is opened directly.
 */
const isolation = {
  'X-Content-Type-Options': 'nosniff',
  'Content-Security-Policy':
    "default-src 'none'; img-src 'self'; media-src 'self'; style-src 'unsafe-inline'; sandbox allow-same-origin allow-downloads",
  'Referrer-Policy': 'no-referrer',
};

function stateOf({ etag, modifiedMs }: ServedFile): Record<string, string> {
  const state = { ETag: etag, 'Cache-Control': 'private, no-cache' };
  // RFC 9110 forbids a date in the future.
  return modifiedMs > Date.now() ? state : { ...state, 'Last-Modified': new Date(modifiedMs).toUTCString() };
}

/** Displayed, not saved; with a file name for saving. RFC 6266. */
export function inlineAs(name: string): string {
  return `inline; filename="${plain(name)}"; filename*=UTF-8''${extended(name)}`;
}

/** The fallback for old clients: nothing that needs escaping or that some clients decode. */
function plain(name: string): string {
  return name.replace(/[^\x20-\x7e]|["\\%]/gu, '_');
}

/** RFC 8187. Encodes what encodeURIComponent leaves and the grammar forbids. */
function extended(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
