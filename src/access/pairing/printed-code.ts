import type { Clock } from '../../lib/clock.ts';
import { isSame, sha256 } from '../../lib/digest.ts';
import { plainTypedCode } from '../../lib/typed-code.ts';
import { budgets } from '../limits/budgets.ts';
import type { Scope } from '../scopes.ts';
import { newLoginCode } from '../sessions/login-codes.ts';

/** The code that `hostler pair` prints. One at a time, in memory only: it ends with the service. */
export interface PrintedCodes {
  /** Any earlier one is good for nothing from now on. */
  print(scopes: Scope[]): { code: string; expires_in: number };
  /** For one attempt; null: none is waiting, or too many attempts were made. */
  tryCurrent(): PrintedCode | null;
  /** False: it was used, replaced, or its time is over. */
  use(code: PrintedCode): boolean;
}

export interface PrintedCode {
  code: string;
  scopes: Scope[];
}

const { lifeMs, tries: mostTries } = budgets.unauthenticated.pairing.code;

export function createPrintedCodes({ monotonic }: Pick<Clock, 'monotonic'>): PrintedCodes {
  let current: (PrintedCode & { ends: number; tries: number }) | null = null;
  const living = () => (current !== null && monotonic() < current.ends ? current : null);
  return {
    print(scopes) {
      current = { code: newLoginCode(), scopes, ends: monotonic() + lifeMs, tries: 0 };
      return { code: current.code, expires_in: lifeMs / 1000 };
    },
    tryCurrent() {
      const code = living();
      if (code === null || code.tries >= mostTries) return null;
      code.tries++;
      return code;
    },
    use(code) {
      if (living() !== code) return false;
      current = null;
      return true;
    },
  };
}

/** How long it takes does not tell how much of it is right. */
export const isThisCode = ({ code }: PrintedCode, typed: string) => isSame(sha256(code), sha256(plainTypedCode(typed)));
