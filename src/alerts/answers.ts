import path from 'node:path';
import type { Host } from '../host/host.ts';
import { connectionProblem } from '../lib/connection-errors.ts';
import { codeOf, messageOf, PlaceError } from '../lib/errors.ts';
import type { AlertOutcome } from './notification.ts';

const mostAskedForMs = 30 * 60_000;

/** What the status of a response means: arrived, to be tried again, or refused. */
export function statusOutcome(status: number, retryAfter: string | null): AlertOutcome {
  if (status >= 200 && status < 300) return { ok: true };
  const outcome = { ok: false as const, askedForMs: null, error: `it answered ${status}` };
  if (status >= 300 && status < 400)
    return {
      ...outcome,
      retry: false,
      error: `it answers ${status}, a redirect; redirects are not followed, so set the target address`,
    };
  if (status === 408 || status === 429 || status >= 500)
    return { ...outcome, retry: true, askedForMs: parseSeconds(retryAfter) };
  return { ...outcome, retry: false };
}

function parseSeconds(text: string | null): number | null {
  if (text === null || !/^\d{1,6}(?:\.\d+)?$/.test(text.trim())) return null;
  return Math.min(Math.ceil(Number(text) * 1000), mostAskedForMs);
}

/** The runtime's error as a clause about the receiver. */
export function plainError(error: unknown, timeoutMs: number): string {
  if (error instanceof Error && error.name === 'TimeoutError') return `it did not answer within ${timeoutMs / 1000} s`;
  const message = messageOf(error);
  return connectionProblem(String(codeOf(error)), message) ?? message;
}

export async function authoritiesIn({ storage }: Pick<Host, 'storage'>, file: string): Promise<string> {
  return await using('its authorities file', file, async (wrong) => {
    const text = storage.read(file);
    if (text === null) throw wrong('does not exist');
    return text;
  });
}

/** The path of the file appears in the log only. */
export async function using<T>(
  what: string,
  file: string,
  use: (wrong: (problem: string, more?: string) => PlaceError) => Promise<T>,
): Promise<T> {
  const wrong = (problem: string, more = '') =>
    new PlaceError(`${what} ${problem}`, `${what}, ${file}, ${problem}${more === '' ? '' : `. ${more}`}`);
  if (!path.isAbsolute(file)) throw wrong('is not named by an absolute path');
  try {
    return await use(wrong);
  } catch (error) {
    if (error instanceof PlaceError) throw error;
    throw new PlaceError(`${what} cannot be read`, `${what}, ${file}, cannot be read: ${messageOf(error)}`);
  }
}
