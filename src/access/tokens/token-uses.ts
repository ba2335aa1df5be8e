import path from 'node:path';
import type { Host } from '../../host/host.ts';
import { isObject } from '../../lib/values.ts';

/** When a token was used last, and from where. */
export interface TokenUse {
  /** Unix milliseconds. */
  at: number;
  address: string;
}

export interface TokenUses {
  /** `addressOf` is asked only when the use is written down: at most once a second for each token. */
  note(id: string, addressOf: () => string): void;
  of(id: string): TokenUse | null;
  /** Saves what is not on the disk yet. */
  close(): void;
}

const fileName = 'token-uses.json';
/** A client that asks all the time is in use; by how many milliseconds does not matter. */
const noteEveryMs = 1000;
/** On disk it may be this much older; saving costs more than all the rest. */
const saveEveryMs = 10 * 60_000;
/** As many as there can be tokens, and those that were revoked meanwhile. */
const maxKept = 400;

/** Kept in a file of its own: the tokens change when somebody makes one, and every process of ours follows that. */
export function createTokenUses({ storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>): TokenUses {
  const file = path.join(paths.state, fileName);
  const uses = new Map<string, TokenUse>();
  const notedAt = new Map<string, number>();
  let isRead = false;
  let isSaved = true;
  let savedAt = clock.monotonic();

  const read = () => {
    if (isRead) return;
    isRead = true;
    try {
      const value: unknown = JSON.parse(storage.read(file) ?? '{}');
      // What was noted since the start is younger.
      if (isObject(value))
        for (const [id, use] of Object.entries(value)) if (isUse(use) && !uses.has(id)) uses.set(id, use);
    } catch {
      // It says when something was used, nothing more; it begins anew.
    }
  };

  const save = () => {
    savedAt = clock.monotonic();
    read();
    const latest = [...uses].sort(([, a], [, b]) => b.at - a.at).slice(0, maxKept);
    try {
      storage.write(file, `${JSON.stringify(Object.fromEntries(latest))}\n`);
      isSaved = true;
    } catch {
      // A full disk costs this list, and nobody is refused for it.
    }
  };

  return {
    note(id, addressOf) {
      const now = clock.monotonic();
      const last = notedAt.get(id);
      if (last !== undefined && now - last < noteEveryMs) return;
      if (last === undefined && notedAt.size >= maxKept) notedAt.clear();
      notedAt.set(id, now);
      uses.set(id, { at: clock.now(), address: addressOf() });
      isSaved = false;
      if (now - savedAt >= saveEveryMs) save();
    },
    of(id) {
      read();
      return uses.get(id) ?? null;
    },
    close() {
      if (!isSaved) save();
    },
  };
}

function isUse(value: unknown): value is TokenUse {
  return isObject(value) && typeof value.at === 'number' && typeof value.address === 'string';
}
