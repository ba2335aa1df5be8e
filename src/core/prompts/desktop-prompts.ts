import { ServiceError, UserRefused } from '../../lib/errors.ts';
import { clientPaces, createPauses } from '../../lib/prompt-backoff.ts';

/** For actions that make a desktop show a prompt. It is not ours: it does not name the token, and the user sees it as a prompt of Hostler. */
export interface DesktopPrompts {
  /** Throws rate_limited, without a prompt, while the token has to wait after a prompt that was not allowed. */
  during<T>(tokenId: string, work: () => Promise<T>): Promise<T>;
}

export function createDesktopPrompts(monotonic: () => number): DesktopPrompts {
  const pauses = createPauses(clientPaces, monotonic);
  return {
    async during(tokenId, work) {
      const wait = pauses.refuse(tokenId);
      if (wait !== null)
        throw new ServiceError(
          'rate_limited',
          `The user denied the last prompt of the desktop: the next prompt is possible in ${wait} s`,
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
