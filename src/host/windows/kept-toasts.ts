import path from 'node:path';
import { createSequence } from '../../lib/later.ts';
import { isObject } from '../../lib/values.ts';
import type { Host } from '../host.ts';

/**
 * Toasts that stay in the Action Center when this process ends: a later one accepts their presses. The file is sealed, and holds the hashes of
 * their addresses only.
 */
export type KeptToasts = ReturnType<typeof createKeptToasts>;

export interface KeptToast {
  tag: number;
  /** Unix milliseconds. */
  until: number;
  /** JSON, of the feature that showed it. */
  about: unknown;
}

/** Windows holds no more of one program. */
const most = 20;
/** A toast with more is not kept. */
const longest = 16 * 1024;

export function createKeptToasts({ storage, sealing, paths, clock }: KeptToastsHost) {
  const file = path.join(paths.state, 'toasts');
  let loading: Promise<Map<string, KeptToast>> | null = null;
  const inTurn = createSequence();

  const load = async () => {
    const sealed = storage.read(file);
    // A file that cannot be opened is replaced.
    const text = sealed === null ? '{}' : await (sealing?.open(sealed) ?? '{}');
    const kept: unknown = JSON.parse(text);
    return new Map(isObject(kept) ? (Object.entries(kept) as [string, KeptToast][]) : []);
  };
  const current = async () => {
    loading ??= load().catch(() => new Map<string, KeptToast>());
    const kept = await loading;
    for (const [hash, { until }] of kept) if (until < clock.now()) kept.delete(hash);
    return kept;
  };
  const write = async (kept: Map<string, KeptToast>) => {
    if (sealing === undefined) throw new Error('nothing is sealed here');
    await inTurn(async () => {
      if (kept.size === 0) storage.remove(file);
      else storage.write(file, await sealing.seal(JSON.stringify(Object.fromEntries(kept))));
    });
  };

  return {
    tags: async () => [...(await current()).values()].map(({ tag }) => tag),
    /** false: it could not be written. */
    async put(hash: string, toast: KeptToast): Promise<boolean> {
      const kept = await current();
      if (JSON.stringify(toast.about).length > longest) return false;
      kept.set(hash, toast);
      for (const oldest of [...kept.keys()].slice(0, -most)) kept.delete(oldest);
      return await write(kept).then(
        () => true,
        () => false,
      );
    },
    /** Removes it; null: there is none. */
    async take(hash: string): Promise<KeptToast | null> {
      const kept = await current();
      const toast = kept.get(hash) ?? null;
      if (kept.delete(hash)) await write(kept).catch(() => {});
      return toast;
    },
  };
}

export type KeptToastsHost = Pick<Host, 'storage' | 'sealing' | 'paths' | 'clock'>;
