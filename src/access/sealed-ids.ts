import type { Clock } from '../lib/clock.ts';
import { hmacSha256, isSame, randomBytes, randomStartClock } from '../lib/digest.ts';

/** Ids that authenticate themselves, so they take no memory until they are used. Each is unpredictable, and good for one process. */
export function createSealedIds({ monotonic }: Pick<Clock, 'monotonic'>, lifeMs: number) {
  const key = randomBytes(32);
  const ticks = randomStartClock(monotonic);
  const used = new Map<string, number>();
  const isFresh = (at: number) => ticks() - at <= lifeMs;
  const sealOf = (text: string) => hmacSha256(key, text).toString('base64url');
  return {
    /** `note`: letters and digits that it contains. */
    issue(note = ''): string {
      const text = `${ticks()}.${note}.${randomBytes(24).toString('base64url')}`;
      return `${text}.${sealOf(text)}`;
    },
    /** The note of an id that this process issued, that has not expired and was not used; null: it is another one. */
    find(id: string): string | null {
      const [, text = '', at, note = '', seal = ''] = /^((\d{1,15})\.(\w*)\.[\w-]{32})\.([\w-]{43})$/.exec(id) ?? [];
      // As text: several texts stand for the same bytes, and would be as many ids.
      const isOurs = isSame(Buffer.from(sealOf(text)), Buffer.from(seal));
      return isOurs && isFresh(Number(at)) && !used.has(id) ? note : null;
    },
    /** False: it was used already. */
    use(id: string): boolean {
      if (used.has(id)) return false;
      for (const [old, at] of used) if (!isFresh(at)) used.delete(old);
      used.set(id, ticks());
      return true;
    },
  };
}
