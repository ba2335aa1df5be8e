import path from 'node:path';
import { readSecret, sealed } from '../access/secrets.ts';
import type { Host } from '../host/host.ts';
import { connectionProblem } from '../lib/connection-errors.ts';
import { hmacSha256, randomBytes, sha256 } from '../lib/digest.ts';
import { codeOf, messageOf, PlaceError } from '../lib/errors.ts';
import { maskUrlsIn } from '../lib/mask-url.ts';
import type { AlertWebhook } from './alerts.settings.schema.ts';
import { type AlertMessage, type AlertOutcome, webhookBody } from './notification.ts';

type Parts = Pick<Host, 'post' | 'storage' | 'sealing' | 'clock' | 'paths'>;

const timeoutMs = 10_000;
const prefix = 'whsec_';
/** A block of the hash: longer keys are hashed first. */
const longestKey = 64;
const mostAskedForMs = 30 * 60_000;
/** Bytes of the secret that all others are derived from. */
const secretLength = 32;

/**
 * One request, signed as the Standard Webhooks are (https://www.standardwebhooks.com): HMAC-SHA256 over id, time and body. Never throws. Only
 * the status line of the response counts: the rest is not read.
 */
export async function postWebhook(
  host: Parts,
  { id, url, keyFile, caFile }: AlertWebhook,
  message: AlertMessage,
  signal: AbortSignal,
): Promise<AlertOutcome> {
  const later = (error: string, askedForMs: number | null = null) => ({
    ok: false as const,
    retry: true,
    error,
    askedForMs,
  });
  const refused = (error: string): AlertOutcome => ({ ok: false, retry: false, error, askedForMs: null });
  try {
    const body = webhookBody(message);
    const seconds = String(Math.floor(host.clock.now() / 1000));
    // Both files are read each time: secrets and certificates are replaced at run time.
    const key = keyFile === '' ? await ownKey(host, id) : keyInFile(host, keyFile);
    const signature = hmacSha256(key, `${message.id}.${seconds}.${body}`).toString('base64');
    const { status, header } = await host.post({
      url,
      headers: {
        'Content-Type': 'application/json',
        'Webhook-Id': message.id,
        'Webhook-Timestamp': seconds,
        'Webhook-Signature': `v1,${signature}`,
      },
      body: new TextEncoder().encode(body),
      authorities: caFile === '' ? null : authoritiesIn(host, caFile),
      timeoutMs,
      signal,
      isBodyIgnored: true,
    });
    if (status >= 200 && status < 300) return { ok: true };
    if (status >= 300 && status < 400)
      return refused(`it answers ${status}, a redirect; redirects are not followed, so set the target address`);
    if (status === 408 || status === 429 || status >= 500)
      return later(`it answered ${status}`, parseSeconds(header('retry-after')));
    return refused(`it answered ${status}`);
  } catch (error) {
    if (error instanceof PlaceError) return { ...later(error.message), full: error.full };
    return later(plainError(error, url));
  }
}

/** Leaves out path and query, which may be secret. */
export function shownWebhook(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an address that cannot be used';
}

function plainError(error: unknown, url: string): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1000} s`;
  const message = messageOf(error);
  const shown = maskUrlsIn(message.replaceAll(url, shownWebhook(url))).slice(0, 200);
  return connectionProblem(String(codeOf(error)), message) ?? shown;
}

function parseSeconds(text: string | null): number | null {
  return text !== null && /^\d{1,6}$/.test(text.trim()) ? Math.min(Number(text) * 1000, mostAskedForMs) : null;
}

/** The secret of a webhook in the form for its receiver, derived from one that never leaves this machine. */
export async function webhookSecret(host: Omit<Parts, 'post' | 'clock'>, webhook: string): Promise<string> {
  return `${prefix}${(await ownKey(host, webhook)).toString('base64')}`;
}

async function ownKey(host: Omit<Parts, 'post' | 'clock'>, webhook: string): Promise<Buffer> {
  const file = path.join(host.paths.state, 'alerts-secret');
  const what = 'the secret of this service for webhooks';
  const stored = await (async () => (await readSecret(host, file)) ?? (await makeSecret(host, file)))().catch(
    (error) => {
      throw new PlaceError(`${what} cannot be read; see the log`, `${what} cannot be read: ${messageOf(error)}`);
    },
  );
  const secret = Buffer.from(stored.trim(), 'base64');
  // Everyone can derive a key from an empty secret.
  if (secret.length < secretLength) {
    const problem = `holds ${secret.length} bytes instead of ${secretLength}, so nothing is signed with it`;
    const remedy = 'Remove the file: a new one is created, and receivers need new secrets';
    throw new PlaceError(`${what} ${problem}. ${remedy}`, `${what}, ${file}, ${problem}. ${remedy}`);
  }
  return hmacSha256(secret, `webhook ${webhook}`);
}

/** Several callers may need it at once, a command among them: the first one creates it for all. */
async function makeSecret(host: Omit<Parts, 'post' | 'clock'>, file: string): Promise<string> {
  const text = await sealed(host, `${randomBytes(secretLength).toString('base64')}\n`);
  host.storage.locked(file, () => {
    if (host.storage.read(file) === null) host.storage.write(file, text);
  });
  return (await readSecret(host, file)) ?? '';
}

/** Throws a sentence without the secret. */
function keyInFile({ storage }: Pick<Host, 'storage'>, file: string): Buffer {
  return using('its key file', file, (wrong) => {
    if (((storage.permissions(file) ?? 0) & 0o077) !== 0)
      throw wrong('can be read or changed by other users', `Fix it with "chmod 600 ${file}"`);
    const exposure = storage.exposure(file);
    if (exposure !== null) throw wrong('is not safe', `${exposure.problem}. Fix it with "${exposure.fix}"`);
    const text = storage.read(file)?.trim();
    if (text === undefined) throw wrong('does not exist');
    const key = text.startsWith(prefix) ? Buffer.from(text.slice(prefix.length), 'base64') : Buffer.from(text);
    if (key.length < 16) throw wrong('holds less than 16 bytes, which is too little for a secret');
    return key.length > longestKey ? sha256(new Uint8Array(key)) : key;
  });
}

function authoritiesIn({ storage }: Pick<Host, 'storage'>, file: string): string {
  return using('its authorities file', file, (wrong) => {
    const text = storage.read(file);
    if (text === null) throw wrong('does not exist');
    return text;
  });
}

/** The path of the file appears in the log only. */
function using<T>(what: string, file: string, use: (wrong: (problem: string, more?: string) => PlaceError) => T): T {
  const wrong = (problem: string, more = '') =>
    new PlaceError(`${what} ${problem}`, `${what}, ${file}, ${problem}${more === '' ? '' : `. ${more}`}`);
  if (!path.isAbsolute(file)) throw wrong('is not named by an absolute path');
  try {
    return use(wrong);
  } catch (error) {
    if (error instanceof PlaceError) throw error;
    throw new PlaceError(`${what} cannot be read`, `${what}, ${file}, cannot be read: ${messageOf(error)}`);
  }
}
