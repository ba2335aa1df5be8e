/**
 * What was prepared for clients and not read yet. What several clients wait for counts once. A caller may hold as much as is free: the first one gets
 * half of it, the next half of the rest.
 */
export interface UnreadBudget {
  /** Counts it for a caller; the result releases it. null: too much is unread. */
  hold(share: string, what: Body | number): (() => void) | null;
}

/** A text, or bytes that are the same where they are the same object. */
type Body = string | Uint8Array;

interface Held {
  length: number;
  /** How often each is held. */
  bodies: Map<Body, number>;
}

export function createUnreadBudget(most: number): UnreadBudget {
  const all: Held = { length: 0, bodies: new Map() };
  const shares = new Map<string, Held>();
  return {
    hold(share, what) {
      const own = shares.get(share) ?? { length: 0, bodies: new Map() };
      if (own.length + addedBy(own, what) > (most - all.length + own.length) / 2) return null;
      shares.set(share, own);
      for (const held of [own, all]) add(held, what);
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        for (const held of [own, all]) remove(held, what);
        if (own.length === 0 && own.bodies.size === 0 && shares.get(share) === own) shares.delete(share);
      };
    },
  };
}

function addedBy({ bodies }: Held, what: Body | number): number {
  if (typeof what === 'number') return what;
  return bodies.has(what) ? 0 : what.length;
}

function add(held: Held, what: Body | number): void {
  held.length += addedBy(held, what);
  if (typeof what !== 'number') held.bodies.set(what, (held.bodies.get(what) ?? 0) + 1);
}

function remove(held: Held, what: Body | number): void {
  if (typeof what === 'number') {
    held.length -= what;
    return;
  }
  const left = (held.bodies.get(what) ?? 1) - 1;
  if (left > 0) return void held.bodies.set(what, left);
  held.bodies.delete(what);
  held.length -= what.length;
}
