import path from 'node:path';
import { readObject } from '../../core/json/read-object.ts';
import type { Host } from '../../host/host.ts';
import { hasFields } from '../../lib/values.ts';

/** Time and address of the last use of a token. */
export interface TokenUse {
  /** Unix milliseconds. */
  at: number;
  address: string;
}

const fileName = 'token-uses.json';
const noteEveryMs = 1000;
/** A use in the file may be this much older than the last one, also after a crash. */
const savedEveryMs = 60_000;
/** Uses of several tokens are saved together. */
const saveWithinMs = 1000;
/** As many tokens as there can be, plus revoked ones. */
const maxEntries = 400;

export type TokenUses = ReturnType<typeof createTokenUses>;

/** In its own file, because every process of this service watches the file of the tokens. */
export function createTokenUses({ storage, paths, clock }: Pick<Host, 'storage' | 'paths' | 'clock'>) {
  const file = path.join(paths.state, fileName);
  const uses = new Map<string, TokenUse>();
  const notedAt = new Map<string, number>();
  /** When the use of a token was saved, monotonic. */
  const savedAt = new Map<string, number>();
  const addresses = new Set<string>();
  let isRead = false;
  let isSaved = true;
  let cancelSave: (() => void) | null = null;

  const read = () => {
    if (isRead) return;
    isRead = true;
    // A damaged file only loses times of use. Uses recorded since the start are newer.
    for (const [id, use] of Object.entries(readObject({ storage }, file) ?? {}))
      if (isUse(use) && !uses.has(id)) uses.set(id, use);
  };

  const save = () => {
    cancelSave?.();
    cancelSave = null;
    for (const id of notedAt.keys()) savedAt.set(id, clock.monotonic());
    read();
    const latest = [...uses].sort(([, a], [, b]) => b.at - a.at).slice(0, maxEntries);
    try {
      storage.write(file, `${JSON.stringify(Object.fromEntries(latest))}\n`);
      isSaved = true;
    } catch {
      // A full disk loses this list only; no request fails.
    }
  };

  return {
    /** `addressOf` is called only when the use is recorded: at most once a second per token. */
    note(id: string, addressOf: () => string) {
      const now = clock.monotonic();
      const last = notedAt.get(id);
      if (last !== undefined && now - last < noteEveryMs) return;
      if (last === undefined && notedAt.size >= maxEntries) {
        notedAt.clear();
        savedAt.clear();
      }
      notedAt.set(id, now);
      const address = addressOf();
      uses.set(id, { at: clock.now(), address });
      addresses.delete(address);
      addresses.add(address);
      if (addresses.size > maxEntries) addresses.delete(addresses.values().next().value ?? address);
      isSaved = false;
      if (now - (savedAt.get(id) ?? Number.NEGATIVE_INFINITY) >= savedEveryMs)
        cancelSave ??= clock.after(saveWithinMs, save);
    },
    of(id: string): TokenUse | null {
      read();
      return uses.get(id) ?? null;
    },
    /** Whether a token was used from this address lately. */
    isKnown(address: string): boolean {
      read();
      return addresses.has(address) || uses.values().some((use) => use.address === address);
    },
    close() {
      cancelSave?.();
      if (!isSaved) save();
    },
  };
}

const isUse = (value: unknown): value is TokenUse => hasFields(value, { at: 'number', address: 'string' });
