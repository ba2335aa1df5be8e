import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { isSame, randomBytes, sha256 } from '../../lib/digest.ts';

export const loginCodeMs = 60_000;
/** Opening the page a second time must not invalidate the first code. */
const maxPending = 5;

interface Pending {
  sha256: string;
  expires: number;
}

export type LoginCodes = ReturnType<typeof createLoginCodes>;

/**
 * One-time codes for the browser on this machine: a process with write access to the state directory creates one, the service accepts it
 * once. So no token appears in an address, an argument list or the history of a shell.
 */
export function createLoginCodes({ storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>) {
  const file = path.join(paths.state, 'login.json');
  let seen: string | null = null;
  let waiting: Pending[] = [];

  /** The pending codes; read again only when the file has changed. */
  const current = (): Pending[] => {
    const signature = storage.signature(file);
    if (signature !== seen) waiting = signature === null ? [] : parsePending(storage.read(file, { owned: true }));
    seen = signature;
    return waiting;
  };

  const isUsable = (known: Pending, presented: Buffer) =>
    clock.now() <= known.expires && isSame(Buffer.from(known.sha256, 'hex'), presented);

  // A wrong code of an unauthenticated client costs one stat of the file: nothing is locked, read or written for it.
  const isWaiting = (presented: Buffer) => current().some((known) => isUsable(known, presented));

  return {
    /** Whether it would be accepted. Does not use it. */
    isWaiting: (code: string) => isWaiting(sha256(code)),
    issue(): string {
      const code = newLoginCode();
      storage.prepareDirectory(paths.state);
      storage.locked(file, () => {
        const pending = [
          ...parsePending(storage.read(file, { owned: true })),
          { sha256: sha256(code).toString('hex'), expires: clock.now() + loginCodeMs },
        ];
        storage.write(file, JSON.stringify(pending.slice(-maxPending)));
      });
      return code;
    },
    redeem(code: string): boolean {
      const presented = sha256(code);
      if (!isWaiting(presented)) return false;
      return storage.locked(file, () => {
        const pending = parsePending(storage.read(file, { owned: true })).filter(
          ({ expires }) => clock.now() <= expires,
        );
        const rest = pending.filter((known) => !isUsable(known, presented));
        if (rest.length === 0) storage.remove(file);
        else storage.write(file, JSON.stringify(rest));
        return rest.length < pending.length;
      });
    },
  };
}

/** Skips malformed entries. */
function parsePending(text: string | null): Pending[] {
  const entries = (text ?? '').matchAll(/\{"sha256":"([0-9a-f]{64})","expires":(\d+)\}/g);
  return [...entries].map(([, sha256 = '', expires]) => ({ sha256, expires: Number(expires) }));
}

/** Without I, L, O and U, which are easily misread. 32 characters, so bytes divide evenly. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const length = 12;

/** Sixty random bits, in groups of four for people: K7QF-2M9X-3ATB. */
export function newLoginCode(): string {
  const characters = [...randomBytes(length)].map((byte) => alphabet[byte % alphabet.length]);
  return characters.join('').replace(/.{4}(?=.)/g, '$&-');
}
