import { codeOf, messageOf, ServiceError } from '../lib/errors.ts';
import { UnusableFile } from '../lib/file-version.ts';
import { harmless } from '../lib/harmless-text.ts';

/** Wrong usage, as opposed to something that failed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** The service ended because of a bug, and nobody asked for it. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** As sysexits.h has it for internal errors: whoever supervises us tells it from an end that was asked for, and from wrong usage. */
const crashed = 70;

/** Does something and says in one sentence what went wrong: 0 done, 1 failed, 2 wrong usage, 70 a bug ended the service. */
export async function exitCodeOf(work: () => Promise<unknown>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    // Whoever read our output has seen enough, as in "hostler token list | head".
    if (codeOf(error) === 'EPIPE') return 0;
    process.stderr.write(`hostler: ${harmless(messageOf(error))}\n`);
    if (error instanceof Crash) return crashed;
    return isWrongUsage(error) ? 2 : 1;
  }
}

/** Also what the parts say themselves of what they were given, such as a setting that must be one of four. And what no new start would mend. */
const isWrongUsage = (error: unknown) =>
  error instanceof UsageError ||
  error instanceof UnusableFile ||
  (error instanceof ServiceError && error.code === 'invalid');
