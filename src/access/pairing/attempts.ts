import type { Clock } from '../../lib/clock.ts';
import { hmacSha256, isSame, randomBytes, randomStartClock } from '../../lib/digest.ts';
import { commitmentTo, makePairKey, type PairKey } from '../../lib/pairing/pairing-crypto.ts';
import { budgets } from '../limits/budgets.ts';

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

export interface Attempts {
  begin(): Promise<BegunAttempt>;
  /** null: not issued by this service, expired, or used. */
  find(id: string): Promise<Attempt | null>;
  /** False: it was used already. */
  use(id: string): boolean;
}

const { begunMs } = budgets.unauthenticated.pairing;
/** A key serves all attempts that begin within this time, and is deleted when the last of them expires. */
const keyMs = 120_000;

/** An id authenticates itself, and the nonce is derived from it: attempts take no memory. */
export function createAttempts({ monotonic, after }: Pick<Clock, 'monotonic' | 'after'>): Attempts {
  const secret = randomBytes(32);
  const ticks = randomStartClock(monotonic);
  const keys = new Map<number, { made: number; key: Promise<PairKey> }>();
  const used = new Map<string, number>();
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

  const isFresh = (begun: number) => ticks() - begun <= begunMs;
  const nonceOf = (id: string) => hmacSha256(secret, `nonce ${id}`).toString('base64url');
  const sealOf = (text: string) => hmacSha256(secret, `id ${text}`).toString('base64url');

  return {
    async begin() {
      const { number, key } = currentKey();
      const text = `${ticks()}.${number}.${randomBytes(16).toString('base64url')}`;
      const id = `${text}.${sealOf(text)}`;
      const { publicKey } = await key;
      const commitment = await commitmentTo({ id, serviceKey: publicKey, serviceNonce: nonceOf(id) });
      return { id, public_key: publicKey, commitment, expires_in: begunMs / 1000 };
    },
    async find(id) {
      const [, text = '', begun, number, seal = ''] =
        /^((\d{1,15})\.(\d{1,9})\.[\w-]{22})\.([\w-]{43})$/.exec(id) ?? [];
      // As text: several texts stand for the same bytes, and would be as many attempts.
      if (!isSame(Buffer.from(sealOf(text)), Buffer.from(seal))) return null;
      const known = keys.get(Number(number));
      if (known === undefined || !isFresh(Number(begun)) || used.has(id)) return null;
      return { key: await known.key, nonce: nonceOf(id) };
    },
    use(id) {
      if (used.has(id)) return false;
      const now = monotonic();
      for (const [old, at] of used) if (now - at > begunMs) used.delete(old);
      used.set(id, now);
      return true;
    },
  };
}
