import { codeOf, messageOf, ServiceError } from '../lib/errors.ts';
import { UnusableFile } from '../lib/file-version.ts';
import { harmless } from '../lib/harmless-text.ts';

/** Wrong usage, as opposed to a failure. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** A bug ended the service. */
export class Crash extends Error {
  override readonly name = 'Crash';
}

/** As in sysexits.h for internal errors: a supervisor can distinguish it from a requested end and from wrong usage. */
const crashed = 70;

/** Runs something and prints one sentence if it fails: 0 done, 1 failed, 2 wrong usage, 70 a bug ended the service. */
export async function exitCodeOf(work: () => Promise<unknown>): Promise<number> {
  try {
    await work();
    return 0;
  } catch (error) {
    // The reader of our output has closed it, as in "hostler token list | head".
    if (codeOf(error) === 'EPIPE') return 0;
    process.stderr.write(`hostler: ${harmless(messageOf(error))}\n`);
    if (error instanceof Crash) return crashed;
    return isWrongUsage(error) ? 2 : 1;
  }
}

/** Also errors about the input, such as an invalid setting, and those that a restart does not fix. */
export const isWrongUsage = (error: unknown) =>
  error instanceof UsageError ||
  error instanceof UnusableFile ||
  (error instanceof ServiceError && error.code === 'invalid');
