import type { Clock } from '../../lib/clock.ts';

/**
 * Windows starts this program with an address for a press on a toast (`activationType="protocol"`), also from the Action Center and long
 * after the toast was shown; that process passes the address to the running service over its pipe. Any web page can open such addresses,
 * so each has a random number that is accepted once.
 */
export interface ToastPresses {
  /** The tag of a new toast. */
  nextTag(): number;
  /** `pressed` gets the key of the button. `addressOf` a key is for the toast; `forget` invalidates all of them. */
  expect(pressed: (key: string) => void): { addressOf(key: string): string; forget(): void };
  /** false: the address is unknown, used, forgotten or expired. */
  accept(address: string): boolean;
}

/** Registered for this program by `hostler service install`. */
export const pressScheme = 'hostler';
const pattern = new RegExp(`^${pressScheme}:([0-9a-f]{32})-([a-z0-9-]{1,32})$`);

/** Windows removes a toast from the Action Center after three days. */
const lifeMs = 3 * 24 * 3_600_000;

export function createToastPresses({ now }: Pick<Clock, 'now'>): ToastPresses {
  const expected = new Map<string, { pressed(key: string): void; until: number }>();
  let tag = 0;
  return {
    nextTag() {
      tag += 1;
      return tag;
    },
    expect(pressed) {
      const id = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('hex');
      expected.set(id, { pressed, until: now() + lifeMs });
      return { addressOf: (key) => `${pressScheme}:${id}-${key}`, forget: () => void expected.delete(id) };
    },
    accept(address) {
      const [, id = '', key = ''] = pattern.exec(address) ?? [];
      const found = expected.get(id);
      expected.delete(id);
      if (found === undefined || found.until < now()) return false;
      found.pressed(key);
      return true;
    },
  };
}
