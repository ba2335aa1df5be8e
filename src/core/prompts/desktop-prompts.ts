import { ServiceError, UserRefused } from '../../lib/errors.ts';
import { createPauses, type Paces } from '../../lib/prompt-backoff.ts';

/** For what makes a desktop ask its user. The question is not ours: it does not say which token it is for, and is seen as one of Hostler. */
export interface DesktopQuestions {
  /** Refuses with rate_limited, so that nobody is asked, while the token has to wait after a question that came to nothing. */
  during<T>(tokenId: string, work: () => Promise<T>): Promise<T>;
}

/** As between the questions of agents. */
const paces: Paces = {
  perAsker: { free: 0, firstMs: 10_000, mostMs: 15 * 60_000, forgiveMs: 10 * 60_000 },
  overall: { free: 3, firstMs: 10_000, mostMs: 5 * 60_000, forgiveMs: 60_000 },
  most: 1024,
};

export function createDesktopQuestions(monotonic: () => number): DesktopQuestions {
  const pauses = createPauses(paces, monotonic);
  return {
    async during(tokenId, work) {
      const wait = pauses.refuse(tokenId);
      if (wait !== null)
        throw new ServiceError(
          'rate_limited',
          `The user was asked by the desktop and did not allow it: the next question has to wait ${wait} s`,
          { retryAfterSeconds: wait },
        );
      try {
        return await work();
      } catch (error) {
        if (isRefusal(error)) pauses.note(tokenId);
        throw error;
      }
    },
  };
}

const isRefusal = (error: unknown): boolean =>
  error instanceof UserRefused || (error instanceof Error && error.cause instanceof UserRefused);
