import type { Clock } from '../../lib/clock.ts';
import { sha256 } from '../../lib/digest.ts';
import type { EarlierPress } from '../host.ts';
import type { KeptToasts } from './kept-toasts.ts';

/**
 * Windows starts this program with an address for a press on a toast (`activationType="protocol"`), also from the Action Center and long
 * after the toast was shown; that process passes the address to the running service over its pipe. Any web page can open such addresses,
 * so each has a random number that is accepted once.
 */
export type ToastPresses = ReturnType<typeof createToastPresses>;

/** Registered for this program by `hostler service install`. */
export const pressScheme = 'hostler';
const pattern = new RegExp(`^${pressScheme}:([0-9a-f]{32})-([a-z0-9-]{1,32})$`);

/** Windows removes a toast from the Action Center after three days. */
const lifeMs = 3 * 24 * 3_600_000;

export function createToastPresses({ now }: Pick<Clock, 'now'>, kept: KeptToasts) {
  const expected = new Map<string, { pressed(key: string): void; until: number }>();
  const followers = new Set<(press: EarlierPress) => void>();
  const earlier = { tags: null as Promise<number[]> | null };
  let tag = 0;
  const earlierTags = () => (earlier.tags ??= kept.tags());
  return {
    /** The tag of a new toast. */
    async nextTag(): Promise<number> {
      tag = Math.max(tag, ...(await earlierTags())) + 1;
      return tag;
    },
    /** `pressed` gets the key of the button. */
    expect(pressed: (key: string) => void) {
      const id = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
      const until = now() + lifeMs;
      expected.set(id, { pressed, until });
      return {
        /** A key is for the toast. */
        addressOf: (key: string) => `${pressScheme}:${id}-${key}`,
        /** Also for a later process, which gets `about`; false: not possible. */
        keep: (ofToast: number, about: unknown) => kept.put(hashOf(id), { tag: ofToast, until, about }),
        /** Invalidates all of its addresses. */
        forget(): void {
          expected.delete(id);
          void kept.take(hashOf(id));
        },
      };
    },
    /** false: the address is unknown, used, forgotten or expired. */
    async accept(address: string): Promise<boolean> {
      const [, id = '', key = ''] = pattern.exec(address) ?? [];
      if (id === '') return false;
      const found = expected.get(id);
      if (found !== undefined) {
        expected.delete(id);
        void kept.take(hashOf(id));
        if (found.until < now()) return false;
        found.pressed(key);
        return true;
      }
      const toast = await kept.take(hashOf(id));
      if (toast === null) return false;
      for (const follower of followers) follower({ tag: toast.tag, key, about: toast.about });
      return true;
    },
    /** The tags of toasts of earlier processes, whose presses are still accepted. */
    earlierTags,
    /** Presses on toasts of earlier processes. Returns the function that unsubscribes. */
    followEarlier(pressed: (press: EarlierPress) => void): () => void {
      followers.add(pressed);
      return () => void followers.delete(pressed);
    },
  };
}

const hashOf = (id: string) => sha256(id).toString('hex');
