import type { Clock } from '../../lib/clock.ts';
import { hmacSha256, randomBytes } from '../../lib/digest.ts';
import { commitmentTo, makePairKey, type PairKey } from '../../lib/pairing/pairing-crypto.ts';
import { budgets } from '../limits/budgets.ts';
import { createSealedIds } from '../sealed-ids.ts';

/** What the service sends before it knows anything about the client. */
export interface BegunAttempt {
  id: string;
  public_key: string;
  /** To the key and to the nonce that is revealed later. */
  commitment: string;
  /** Seconds. */
  expires_in: number;
}

export interface Attempt {
  key: PairKey;
  nonce: string;
}

const { begunMs } = budgets.unauthenticated.pairing;
/** A key serves all attempts that begin within this time, and is deleted when the last of them expires. */
const keyMs = 120_000;

export type Attempts = ReturnType<typeof createAttempts>;

/** An id names its key, and the nonce is derived from it: attempts take no memory. */
export function createAttempts({ monotonic, after }: Pick<Clock, 'monotonic' | 'after'>) {
  const secret = randomBytes(32);
  const ids = createSealedIds({ monotonic }, begunMs);
  const keys = new Map<number, { made: number; key: Promise<PairKey> }>();
  let newest = 0;

  const currentKey = (): { number: number; key: Promise<PairKey> } => {
    const known = keys.get(newest);
    if (known !== undefined && monotonic() - known.made < keyMs) return { number: newest, key: known.key };
    const number = ++newest;
    const key = makePairKey();
    keys.set(number, { made: monotonic(), key });
    after(keyMs + begunMs, () => keys.delete(number));
    return { number, key };
  };

  const nonceOf = (id: string) => hmacSha256(secret, `nonce ${id}`).toString('base64url');

  return {
    async begin(): Promise<BegunAttempt> {
      const { number, key } = currentKey();
      const id = ids.issue(String(number));
      const { publicKey } = await key;
      const commitment = await commitmentTo({ id, serviceKey: publicKey, serviceNonce: nonceOf(id) });
      return { id, public_key: publicKey, commitment, expires_in: begunMs / 1000 };
    },
    /** null: not issued by this service, expired, or used. */
    async find(id: string): Promise<Attempt | null> {
      const number = ids.find(id);
      const known = number === null ? undefined : keys.get(Number(number));
      return known === undefined ? null : { key: await known.key, nonce: nonceOf(id) };
    },
    /** False: it was used already. */
    use: ids.use,
  };
}
