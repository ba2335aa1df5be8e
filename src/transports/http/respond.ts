import type { HttpRequest } from '../../core/route-table.ts';
import { sha256 } from '../../lib/digest.ts';
import { codeOf, type ErrorCode, ServiceError, toServiceError } from '../../lib/errors.ts';
import { gzip } from '../../lib/gzip.ts';
import { jsonText } from '../../lib/json-text.ts';
import type { Log } from '../../lib/log.ts';
import { takesGzip } from '../../lib/quality-values.ts';
import { UnsupportedContentType } from './body.ts';

const statuses: Record<ErrorCode, number> = {
  invalid: 400,
  unauthorized: 401,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  too_large: 413,
  rate_limited: 429,
  unsupported: 501,
  failed: 502,
};

/** Pages of other origins can neither embed the response nor learn that it exists. Requests with CORS are not affected. */
export const sameOriginOnly = { 'Cross-Origin-Resource-Policy': 'same-origin' };

const jsonHeaders = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
  ...sameOriginOnly,
};
/** Created once: building headers costs more than the rest of a small response. */
const okJson = { status: 200, headers: new Headers(jsonHeaders) };

/** Answers up to this length fit into the buffers of the system, or stay in memory until they are read. */
const longFrom = 128 * 1024;
const longBodies = new WeakMap<Response, string | Uint8Array>();

function respond(body: string | Uint8Array<ArrayBuffer>, init: ResponseInit): Response {
  const response = new Response(body, init);
  if (body.length >= longFrom) longBodies.set(response, body);
  return response;
}

/** The body of a response that should be sent as its client reads it; null: it is short. */
export const longBodyOf = (response: Response): string | Uint8Array | null => longBodies.get(response) ?? null;

/** JSON that is already serialised. The runtime copies bytes, but not a string. */
export function serialisedResponse(json: string | Uint8Array<ArrayBuffer>): Response {
  return respond(json, okJson);
}

/** JSON that is sent as the client reads it. */
export function streamedJson(body: ReadableStream<Uint8Array>): Response {
  return new Response(body, okJson);
}

/** A picture, not cached. */
export function pictureResponse(type: string, bytes: Uint8Array<ArrayBuffer>): Response {
  return respond(bytes, { headers: { ...jsonHeaders, 'Content-Type': type, Vary: 'Accept' } });
}

/** From this size on compression saves packets. */
const compressedFrom = 1400;

/**
 * A long list that clients ask for now and then: compressed if the client takes that, and only if it has changed since the answer whose
 * ETag the client names. Readings that are polled are not worth the CPU time.
 */
export function listResponse(value: unknown, { headers }: Pick<HttpRequest, 'headers'>): Response {
  const json = jsonText(value);
  const etag = `W/"${sha256(json).toString('base64url', 0, 12)}"`;
  const varying = { ...jsonHeaders, Vary: 'Accept-Encoding', ETag: etag };
  if (headers.get('if-none-match') === etag) return new Response(null, { status: 304, headers: varying });
  if (json.length < compressedFrom || !takesGzip(headers.get('accept-encoding')))
    return respond(json, { headers: varying });
  return respond(gzip(json), { headers: { ...varying, 'Content-Encoding': 'gzip' } });
}

export function jsonResponse(value: unknown, status = 200, headers: Record<string, string> | null = null): Response {
  const plain = status === 200 && headers === null;
  return respond(jsonText(value), plain ? okJson : { status, headers: { ...jsonHeaders, ...headers } });
}

/** The body of every error response: one sentence. */
export function problem(status: number, error: string, headers: Record<string, string> = {}): Response {
  return jsonResponse({ error }, status, headers);
}

export function problemOf(thrown: unknown, log: Log): Response {
  const { status, message, headers } = refusalOf(thrown, log);
  return problem(status, message, headers);
}

/** Converts an error into an HTTP response. */
export function refusalOf(
  thrown: unknown,
  log: Log,
): { status: number; message: string; headers: Record<string, string> } {
  if (thrown instanceof UnsupportedContentType) return { status: 415, message: thrown.message, headers: {} };
  const error = toServiceError(thrown);
  if (!(thrown instanceof ServiceError)) log.error('http: an unexpected error', withoutPaths(thrown));
  const headers: Record<string, string> = {};
  if (error.retryAfterSeconds !== null) headers['Retry-After'] = String(error.retryAfterSeconds);
  if (error.code === 'unauthorized') headers['WWW-Authenticate'] = 'Bearer realm="hostler"';
  const status = thrown instanceof ServiceError ? statuses[error.code] : 500;
  return { status, message: error.message, headers };
}

/** System errors contain a file name from the query: the code and the call are enough. */
function withoutPaths(thrown: unknown): unknown {
  const code = codeOf(thrown);
  if (code === null || !(thrown instanceof Error)) return thrown;
  const frames = thrown.stack?.split('\n').filter((line) => /^\s*at /.test(line)) ?? [];
  return [code, ...frames].join('\n');
}
