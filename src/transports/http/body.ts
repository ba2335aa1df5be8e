import { budgets } from '../../access/limits/budgets.ts';
import { type Caller, shareIdOf } from '../../core/caller.ts';
import { createPlaces } from '../../core/places.ts';
import { CostlyJson, parseBoundedJson } from '../../lib/bounded-json.ts';
import { ServiceError } from '../../lib/errors.ts';

/** A response of the transport itself, before the service is called. */
export class UnsupportedContentType extends Error {}

/** The JSON of a request; undefined: no body. An announced size is checked before a byte is read. */
export async function readJson(request: Request, limit: number = budgets.caller.bodyBytes): Promise<unknown> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > limit) throw tooLarge(limit);
  if (request.body === null || (announced === 0 && !request.headers.has('transfer-encoding'))) return undefined;
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json')
    throw new UnsupportedContentType('The body must be JSON: send Content-Type: application/json');
  const bytes = announced > 0 ? await readAnnounced(request) : await readBounded(request.body, limit);
  if (bytes.length === 0) return undefined;
  try {
    return parseBoundedJson(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof CostlyJson) throw new ServiceError('invalid', error.message);
    throw new ServiceError('invalid', 'The body is not valid JSON in UTF-8');
  }
}

/** Unfinished bodies of one token do not block other tokens. */
const longOnes = createPlaces(budgets.all.longBodies, 'Too many long bodies are being received; try again');

/** The input of an action; the number of concurrent long inputs is limited. */
export async function readActionJson(
  request: Request,
  caller: Pick<Caller, 'tokenId' | 'shareId'>,
  limit: number = budgets.caller.bodyBytes,
): Promise<unknown> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  const isLong = announced > budgets.caller.bodyBytes || (announced === 0 && request.headers.has('transfer-encoding'));
  if (limit <= budgets.caller.bodyBytes || !isLong) return await readJson(request, limit);
  if (announced > limit) throw tooLarge(limit);
  return await longOnes.run(shareIdOf(caller), () => readJson(request, limit));
}

/** For unauthenticated clients: a small size limit and a deadline. The connection limiter bounds how many are received. */
export const readUnauthenticatedJson = (request: Request): Promise<unknown> =>
  soon(readJson(request, budgets.unauthenticated.bodyBytes));

/** The fields of a posted form, with the same limits. */
export const readUnauthenticatedForm = (request: Request): Promise<URLSearchParams> =>
  soon(readForm(request, budgets.unauthenticated.bodyBytes));

async function soon<T>(reading: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const { bodyWithinMs } = budgets.unauthenticated;
  const timer = setTimeout(
    () => late.reject(new ServiceError('invalid', 'The body was not received in time')),
    bodyWithinMs,
  );
  try {
    return await Promise.race([reading, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function readForm(request: Request, limit: number): Promise<URLSearchParams> {
  const announced = Number(request.headers.get('content-length') ?? 0);
  if (announced > limit) throw tooLarge(limit);
  const type = request.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/x-www-form-urlencoded') throw new UnsupportedContentType('The body must be a form');
  const bytes = request.body === null ? new Uint8Array() : await readBounded(request.body, limit);
  return new URLSearchParams(new TextDecoder().decode(bytes));
}

/** The runtime returns no more than was announced; reading it in one piece takes a third of the time. */
async function readAnnounced(request: Request): Promise<Uint8Array> {
  try {
    return new Uint8Array(await request.arrayBuffer());
  } catch {
    throw endedEarly();
  }
}

async function readBounded(body: ReadableStream<Uint8Array>, limit: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  const reader = body.getReader();
  let size = 0;
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) {
      size += next.value.byteLength;
      if (size > limit) throw tooLarge(limit);
      chunks.push(next.value);
    }
  } catch (error) {
    await reader.cancel().catch(() => {});
    if (error instanceof ServiceError) throw error;
    throw endedEarly();
  }
  return Buffer.concat(chunks);
}

/** The client is gone; this must not be reported as an internal error. */
const endedEarly = () => new ServiceError('invalid', 'The body ended before its announced length');

const tooLarge = (limit: number) => new ServiceError('too_large', `A body has at most ${limit} bytes`);
