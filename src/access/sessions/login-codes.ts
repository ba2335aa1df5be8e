import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { isSame, randomBytes, sha256 } from '../../lib/digest.ts';
import { plainTypedCode } from '../../lib/typed-code.ts';

/**
 * One-time codes for the browser on this machine: whoever can write the state directory makes one, the service takes
 * it once. So no token stands in an address, an argument list or a shell's history.
 */
export interface LoginCodes {
  issue(): string;
  /** Whether it would be taken. Uses nothing up. */
  isWaiting(code: string): boolean;
  redeem(code: string): boolean;
}

export const loginCodeMs = 60_000;
/** Whoever opens the page twice must not shut the first one out. */
const maxPending = 5;

interface Pending {
  sha256: string;
  expires: number;
}

export function createLoginCodes({ storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>): LoginCodes {
  const file = path.join(paths.state, 'login.json');
  let seen: string | null = null;
  let waiting: Pending[] = [];

  /** What waits to be redeemed; read again only when the file is another one. */
  const look = (): Pending[] => {
    const signature = storage.signature(file);
    if (signature !== seen) waiting = signature === null ? [] : parsePending(storage.read(file));
    seen = signature;
    return waiting;
  };

  const isUsable = (known: Pending, presented: Buffer) =>
    clock.now() <= known.expires && isSame(Buffer.from(known.sha256, 'hex'), presented);

  // A stranger's wrong code costs a look at the file's state: nothing is locked, read or written for it.
  const isWaiting = (presented: Buffer) => look().some((known) => isUsable(known, presented));

  return {
    isWaiting: (code) => isWaiting(sha256(code)),
    issue() {
      const code = newLoginCode();
      storage.prepareDirectory(paths.state);
      storage.locked(file, () => {
        const pending = [
          ...parsePending(storage.read(file)),
          { sha256: sha256(code).toString('hex'), expires: clock.now() + loginCodeMs },
        ];
        storage.write(file, JSON.stringify(pending.slice(-maxPending)));
      });
      return code;
    },
    redeem(code) {
      const presented = sha256(code);
      if (!isWaiting(presented)) return false;
      return storage.locked(file, () => {
        const pending = parsePending(storage.read(file)).filter(({ expires }) => clock.now() <= expires);
        const rest = pending.filter((known) => !isUsable(known, presented));
        if (rest.length === 0) storage.remove(file);
        else storage.write(file, JSON.stringify(rest));
        return rest.length < pending.length;
      });
    },
  };
}

/** What is not as it was written by us counts for nothing. */
function parsePending(text: string | null): Pending[] {
  const entries = (text ?? '').matchAll(/\{"sha256":"([0-9a-f]{64})","expires":(\d+)\}/g);
  return [...entries].map(([, sha256 = '', expires]) => ({ sha256, expires: Number(expires) }));
}

/** Neither I, L, O nor U: what is read off a screen and typed must not be taken for something else. 32 characters, so bytes divide evenly. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 12;

/** Sixty random bits, in groups of four for people: K7QF-2M9X-3ATB. */
export function newLoginCode(): string {
  const characters = [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]);
  return characters.join('').replace(/.{4}(?=.)/g, '$&-');
}

export const looksLikeLoginCode = (text: string) =>
  /^[0-9A-HJKMNP-TV-Z]{4}(-[0-9A-HJKMNP-TV-Z]{4}){2}$/.test(plainTypedCode(text));
