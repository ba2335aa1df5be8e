import type { Host } from '../../host/host.ts';
import { messageOf, PlaceError } from '../../lib/errors.ts';
import type { AlertTarget } from '../alerts.settings.schema.ts';
import { authoritiesIn, plainError, statusOutcome } from '../answers.ts';
import type { AlertMessage, AlertOutcome } from '../notification.ts';
import { secretParts, withoutParts } from './address.ts';
import { noteAbout } from './note.ts';
import type { TargetAnswer, TargetRequest } from './target.ts';
import { readTargetUrls } from './target-store.ts';
import { type OpenAlertTarget, openAlertTarget } from './targets.ts';

type Parts = Pick<Host, 'post' | 'connect' | 'storage' | 'sealing' | 'paths' | 'environment'>;

const timeoutMs = 20_000;
const longestAnswer = 300;

/** Sends one text about these alerts to a target of the settings. Never throws; the outcome contains no part of the URL but its server. */
export async function sendToTarget(
  host: Parts,
  { id, caFile, body }: AlertTarget,
  messages: readonly AlertMessage[],
  signal: AbortSignal,
): Promise<AlertOutcome> {
  const failed = (error: string, retry: boolean) => ({ ok: false as const, retry, askedForMs: null, error });
  const opened = await openStored(host, id);
  if ('error' in opened) return { ...failed(opened.error, false), full: opened.full };
  const parts = secretParts(opened.address, opened.server);
  const clean = (text: string) => withoutParts(text, parts);
  try {
    const authorities = caFile === '' ? null : await authoritiesIn(host, caFile);
    const { connect, environment } = host;
    const ask = (request: TargetRequest) => askOnce(host, request, authorities, signal);
    const tools = { ask, connect, authorities, hostname: environment.hostname(), body, signal, timeoutMs };
    const { answer, ...outcome } = await opened.send(noteAbout(messages), tools);
    const shown = clean(answer).replace(/\s+/g, ' ').trim().slice(0, longestAnswer).toWellFormed();
    return outcome.ok ? { ok: true, answer: shown } : { ...outcome, error: withAnswer(clean(outcome.error), shown) };
  } catch (error) {
    if (error instanceof PlaceError) return { ...failed(error.message, true), full: error.full };
    return failed(clean(plainError(error, timeoutMs)).slice(0, longestAnswer), true);
  }
}

const withAnswer = (error: string, answer: string) => (answer === '' ? error : `${error}: ${answer}`);

async function openStored(host: Parts, id: string): Promise<OpenAlertTarget | { error: string; full: string }> {
  const what = 'its URL';
  try {
    const url = (await readTargetUrls(host)).get(id);
    const command = `enter it with the command "alerts add ${id}"`;
    return url === undefined
      ? { error: `${what} is missing; ${command}`, full: `${what} is missing` }
      : await openAlertTarget(url);
  } catch (error) {
    // Sentences about a stored URL do not contain it; those about the file name it.
    return {
      error: `${what} cannot be used; the log has the reason`,
      full: `${what} cannot be used: ${messageOf(error)}`,
    };
  }
}

async function askOnce(
  { post }: Parts,
  { method = 'POST', url, headers = {}, body }: TargetRequest,
  authorities: string | null,
  signal: AbortSignal,
): Promise<TargetAnswer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const response = await post({
    url,
    method,
    headers: { 'Content-Type': 'application/json', ...headers },
    body: new TextEncoder().encode(text),
    authorities,
    timeoutMs,
    signal,
  });
  const answer = new TextDecoder().decode(response.body);
  // Telegram, Discord and Matrix say it in the body.
  const [, seconds, milliseconds] = /"retry_after(?:":\s*([\d.]+)|_ms":\s*(\d+))/.exec(answer) ?? [];
  const inBody = seconds ?? (milliseconds === undefined ? null : String(Number(milliseconds) / 1000));
  return { ...statusOutcome(response.status, response.header('retry-after') ?? inBody), answer };
}
