import path from 'node:path';
import type { TransportParts } from '../../core/transport.ts';
import { messageOf } from '../../lib/errors.ts';
import type { Settings } from '../../settings/settings.schema.ts';
import type { Batch } from './batch-queue.ts';
import { type PartialSuccess, parseExportResponse } from './response.ts';
import { isPassing, parseRetryAfter } from './retry.ts';

type Machine = TransportParts['host'];

/** The result for a batch. `later`: retry; `refused`: never retry. */
export type SendOutcome =
  | { kind: 'sent'; partial: PartialSuccess | null }
  | { kind: 'refused'; problem: string }
  | { kind: 'later'; problem: string; askedForMs: number | null };

export type SendBatch = (batch: Batch, signal: AbortSignal) => Promise<SendOutcome>;

const timeoutMs = 10_000;
const longestReason = 200;

const contentTypes = { protobuf: 'application/x-protobuf', json: 'application/json' };

/** One request to the collector. Never throws. */
export function createSend(
  { post, storage, clock }: Pick<Machine, 'post' | 'storage' | 'clock'>,
  { endpoint, encoding, headersFile, caFile }: Settings['otlp'],
): SendBatch {
  const url = metricsUrl(endpoint);
  return async ({ body }, signal) => {
    let headers: Record<string, string> = {};
    try {
      // Both files are read every time: secrets and certificates are replaced at run time.
      headers = await readHeaders(storage, headersFile);
      const response = await post({
        url,
        headers: { ...headers, 'Content-Type': contentTypes[encoding], 'Content-Encoding': 'gzip' },
        body,
        authorities: readAuthorities(storage, caFile),
        timeoutMs,
        signal,
      });
      const { status, header } = response;
      // Cut last: the beginning of a secret would not be recognised.
      const shown = (text: string) => hidden(text, url, headers).slice(0, longestReason);
      if (status >= 200 && status < 300) {
        const partial = parseExportResponse(response.body, header('content-type'));
        return { kind: 'sent', partial: partial && { ...partial, message: shown(partial.message) } };
      }
      const reason = shown(textIn(response.body, header('content-type')));
      const problem = `it answered ${status}${reason === '' ? '' : ` (${reason})`}`;
      if (!isPassing(status)) return { kind: 'refused', problem };
      return { kind: 'later', problem, askedForMs: parseRetryAfter(header('retry-after'), clock.now()) };
    } catch (error) {
      return { kind: 'later', problem: hidden(messageOf(error), url, headers), askedForMs: null };
    }
  };
}

/** Appends the OTLP path for metrics to the collector's address, unless it is already there. */
export function metricsUrl(endpoint: string): string {
  const url = new URL(endpoint);
  if (!url.pathname.endsWith('/v1/metrics')) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/metrics`;
  return url.href;
}

/** Without user name, path and query: each may be a secret. */
export const shownUrl = (endpoint: string) => new URL(endpoint).origin;

function readAuthorities(storage: Machine['storage'], file: string): string | null {
  if (file === '') return null;
  if (!path.isAbsolute(file)) throw new Error(`otlp.caFile must be an absolute path, not ${file}`);
  const text = storage.read(file);
  if (text === null) throw new Error(`${file} does not exist`);
  return text;
}

function textIn(body: Uint8Array, contentType: string | null): string {
  if (!/^(text\/plain|application\/json)\b/i.test(contentType ?? '')) return '';
  return new TextDecoder().decode(body).trim();
}

/** A server may repeat what it received, and an error of the runtime names the address. */
function hidden(text: string, url: string, headers: Record<string, string>): string {
  const { username, password, pathname, search } = new URL(url);
  const parts = [...pathname.split('/'), ...search.split(/[?&=]/)].filter((part) => part !== 'metrics');
  const inUrl = [url, username, password, ...parts];
  const inHeaders = Object.values(headers).flatMap((value) => [value, ...value.split(/\s+/)]);
  return [...inUrl, ...inHeaders]
    .filter((secret) => secret.length >= 4)
    .sort((a, b) => b.length - a.length)
    .reduce((shown, secret) => shown.replaceAll(secret, '…'), text);
}

/** Headers that Hostler sets. */
const ours = ['content-type', 'content-encoding', 'content-length', 'transfer-encoding', 'connection', 'host'];

/** Reads the headers from a file that only its owner can read. Errors never contain a value: values may be secrets. */
export async function readHeaders(
  storage: Pick<TransportParts['host']['storage'], 'read' | 'secretExposure'>,
  file: string,
): Promise<Record<string, string>> {
  if (file === '') return {};
  if (!path.isAbsolute(file)) throw new Error(`otlp.headersFile must be an absolute path, not ${file}`);
  const exposure = await storage.secretExposure(file);
  if (exposure !== null)
    throw new Error(`${file} can be read or changed by other users: ${exposure.problem}. Run "${exposure.fix}"`);
  const text = storage.read(file);
  if (text === null) throw new Error(`${file} does not exist`);
  return parseHeaders(text, file);
}

/** `Name: value` on each line; empty lines and lines that start with # are skipped. */
export function parseHeaders(text: string, file: string): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [index, line] of text.split(/\r?\n/).entries()) {
    if (/^\s*(#|$)/.test(line)) continue;
    const [, name = '', value = ''] = /^\s*([!#$%&'*+.^_`|~0-9A-Za-z-]+)\s*:\s*(\S.*?)\s*$/.exec(line) ?? [];
    const place = `line ${index + 1} of ${file}`;
    // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern matches control characters
    if (name === '' || /[\u0000-\u0008\u000a-\u001f\u007f]|[^\u0000-\u00ff]/.test(value))
      throw new Error(`${place} must have the form "Name: value"`);
    if (ours.includes(name.toLowerCase())) throw new Error(`${place} sets ${name}, which only Hostler sets`);
    headers[name] = value;
  }
  return headers;
}
