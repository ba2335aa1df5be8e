import type { Clock } from '../../lib/clock.ts';
import { isSame, sha256 } from '../../lib/digest.ts';
import { plainTypedCode } from '../../lib/pairing/typed-code.ts';
import { budgets } from '../limits/budgets.ts';
import type { Scope } from '../scopes.ts';
import { newLoginCode } from '../sessions/login-codes.ts';

export interface PrintedCode {
  code: string;
  scopes: Scope[];
}

const { lifeMs, tries: mostTries } = budgets.unauthenticated.pairing.code;

export type PrintedCodes = ReturnType<typeof createPrintedCodes>;

/** The code that `hostler pair` prints. One at a time, in memory only. */
export function createPrintedCodes({ monotonic }: Pick<Clock, 'monotonic'>) {
  let current: (PrintedCode & { ends: number; tries: number }) | null = null;
  const living = () => (current !== null && monotonic() < current.ends ? current : null);
  return {
    /** Replaces an earlier code. */
    print(scopes: Scope[]) {
      current = { code: newLoginCode(), scopes, ends: monotonic() + lifeMs, tries: 0 };
      return { code: current.code, expires_in: lifeMs / 1000 };
    },
    /** The code, for one attempt; null: none is valid, or there were too many attempts. */
    tryCurrent(): PrintedCode | null {
      const code = living();
      if (code === null || code.tries >= mostTries) return null;
      code.tries++;
      return code;
    },
    /** False: it was used or replaced, or has expired. */
    use(code: PrintedCode): boolean {
      if (living() !== code) return false;
      current = null;
      return true;
    },
  };
}

/** In constant time. */
export const isThisCode = ({ code }: PrintedCode, typed: string) => isSame(sha256(code), sha256(plainTypedCode(typed)));
