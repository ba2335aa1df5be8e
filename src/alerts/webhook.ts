import path from 'node:path';
import { readSecret, sealed } from '../access/secrets.ts';
import type { Host } from '../host/host.ts';
import { hmacSha256, randomBytes, sha256 } from '../lib/digest.ts';
import { messageOf, PlaceError } from '../lib/errors.ts';
import { maskUrlsIn } from '../lib/mask-url.ts';
import type { AlertWebhook } from './alerts.settings.schema.ts';
import { authoritiesIn, plainError, statusOutcome, using } from './answers.ts';
import { type AlertMessage, type AlertOutcome, webhookBody } from './notification.ts';

type Parts = Pick<Host, 'post' | 'storage' | 'sealing' | 'clock' | 'paths'>;

const timeoutMs = 10_000;
const prefix = 'whsec_';
/** A block of the hash: longer keys are hashed first. */
const longestKey = 64;
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
  try {
    const body = webhookBody(message);
    const seconds = String(Math.floor(host.clock.now() / 1000));
    // Both files are read each time: secrets and certificates are replaced at run time.
    const key = keyFile === '' ? await ownKey(host, id) : await keyInFile(host, keyFile);
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
      authorities: caFile === '' ? null : await authoritiesIn(host, caFile),
      timeoutMs,
      signal,
      isBodyIgnored: true,
    });
    return statusOutcome(status, header('retry-after'));
  } catch (error) {
    const failed = { ok: false as const, retry: true, askedForMs: null };
    if (error instanceof PlaceError) return { ...failed, error: error.message, full: error.full };
    const known = plainError(error, timeoutMs);
    return { ...failed, error: maskUrlsIn(known.replaceAll(url, shownWebhook(url))).slice(0, 200) };
  }
}

/** Leaves out path and query, which may be secret. */
export function shownWebhook(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : 'an address that cannot be used';
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
async function keyInFile({ storage }: Pick<Host, 'storage'>, file: string): Promise<Buffer> {
  return await using('its key file', file, async (wrong) => {
    const exposure = await storage.secretExposure(file);
    if (exposure !== null)
      throw wrong('can be read or changed by other users', `${exposure.problem}. Fix it with "${exposure.fix}"`);
    const text = storage.read(file)?.trim();
    if (text === undefined) throw wrong('does not exist');
    const key = text.startsWith(prefix) ? Buffer.from(text.slice(prefix.length), 'base64') : Buffer.from(text);
    if (key.length < 16) throw wrong('holds less than 16 bytes, which is too little for a secret');
    return key.length > longestKey ? sha256(new Uint8Array(key)) : key;
  });
}
