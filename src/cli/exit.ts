import { harmless } from '../host/terminal.ts';
import { codeOf, messageOf, ServiceError } from '../lib/errors.ts';

/** Wrong usage, as opposed to something that failed. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** Does something and says in one sentence what went wrong: 0 done, 1 failed, 2 wrong usage. */
export async function exitCodeOf(work: () => Promise<unknown>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    // Whoever read our output has seen enough, as in "hostler token list | head".
    if (codeOf(error) === 'EPIPE') return 0;
    process.stderr.write(`hostler: ${harmless(messageOf(error))}\n`);
    return isWrongUsage(error) ? 2 : 1;
  }
}

/** Also what the parts say themselves of what they were given, such as a setting that must be one of four. */
const isWrongUsage = (error: unknown) =>
  error instanceof UsageError || (error instanceof ServiceError && error.code === 'invalid');
