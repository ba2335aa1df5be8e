/**
 * What was prepared for clients and not read yet. A text that several clients wait for counts once. A caller may hold as much as is free: the first one gets
 * half of it, the next half of the rest.
 */
export interface UnreadBudget {
  /** Counts a text, or bytes that are not shared, for a caller; the result releases them. null: too much is unread. */
  hold(share: string, what: string | number): (() => void) | null;
}

interface Held {
  length: number;
  /** How often each text is held. */
  texts: Map<string, number>;
}

export function createUnreadBudget(most: number): UnreadBudget {
  const all: Held = { length: 0, texts: new Map() };
  const shares = new Map<string, Held>();
  return {
    hold(share, what) {
      const own = shares.get(share) ?? { length: 0, texts: new Map() };
      if (own.length + addedBy(own, what) > (most - all.length + own.length) / 2) return null;
      shares.set(share, own);
      for (const held of [own, all]) add(held, what);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        for (const held of [own, all]) remove(held, what);
        if (own.length === 0 && own.texts.size === 0 && shares.get(share) === own) shares.delete(share);
      };
    },
  };
}

function addedBy({ texts }: Held, what: string | number): number {
  if (typeof what === 'number') return what;
  return texts.has(what) ? 0 : what.length;
}

function add(held: Held, what: string | number): void {
  held.length += addedBy(held, what);
  if (typeof what === 'string') held.texts.set(what, (held.texts.get(what) ?? 0) + 1);
}

function remove(held: Held, what: string | number): void {
  if (typeof what === 'number') {
    held.length -= what;
    return;
  }
  const left = (held.texts.get(what) ?? 1) - 1;
  if (left > 0) return void held.texts.set(what, left);
  held.texts.delete(what);
  held.length -= what.length;
}
