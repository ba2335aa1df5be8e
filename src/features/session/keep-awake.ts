import type { ActionContext } from '../../core/action.ts';
import { type Caller, shareIdOf } from '../../core/caller.ts';
import { type PerPlatform, requireFor } from '../../core/platform.ts';
import type { Host } from '../../host/host.ts';
import { keptFor } from '../../lib/cache-by-object.ts';
import { ServiceError } from '../../lib/errors.ts';
import { createListeners } from '../../lib/listeners.ts';
import { shownText } from '../../lib/printable-text.ts';
import type { AwakeControl, AwakeHold } from './session.contract.ts';
import type { InhibitInput, KeptAwake } from './session.schema.ts';

type HoldContext = Pick<ActionContext, 'caller' | 'admits' | 'onTokensChange'>;

export const awakeControls: PerPlatform<AwakeControl> = {
  linux: async () => (await import('./linux/keep-awake.ts')).keepAwakeLinux,
  windows: async () => (await import('./keep-awake.windows.ts')).keepAwakeWindows,
};

/** One for each host. It holds nothing until the first request. */
export const keepAwakeOf = keptFor(createKeepAwake);

export const usualSeconds = 3600;
export const inhibitScopes = ['control', 'power'] as const;
const mostPerToken = 4;
const mostOfAll = 16;
/** Timers stop while the machine sleeps, and the expiry of a token is not announced. */
const checkEveryMs = 60_000;

interface Held {
  entry: KeptAwake;
  share: string;
  isAdmitted(): boolean;
  release(): void;
}

/** The requests that keep this machine awake. They end with their time, their token and the service. */
function createKeepAwake(host: Host) {
  const list = createHeldList(host);
  let control: Promise<AwakeControl> | null = null;
  let count = 0;
  return {
    /** The oldest first. */
    current: () => list.all().map(({ entry }) => entry),
    onChange: list.onChange,
    /** A second request of the same token with the same reason replaces the first. */
    async hold(
      { reason, seconds }: InhibitInput,
      { caller, admits, onTokensChange }: HoldContext,
    ): Promise<{ entry: KeptAwake; blocks: AwakeHold['blocks'] }> {
      const share = shareIdOf(caller);
      const shown = shownText(reason, 200);
      const before = () => list.all().find((each) => each.share === share && each.entry.reason === shown)?.entry.id;
      list.requirePlace(share, before());
      control ??= requireFor(host, awakeControls, 'power.inhibit');
      const { blocks, release } = await (await control).hold(`${caller.tokenName}: ${shown}`);
      const entry = newEntry(`awake-${++count}`, shown, caller, { now: host.clock.now(), seconds });
      try {
        // Others may have asked meanwhile.
        list.requirePlace(share, before());
        list.add({ entry, share, isAdmitted: admission(caller, admits), release }, before(), onTokensChange);
      } catch (error) {
        release();
        throw error;
      }
      return { entry, blocks };
    },
    /** Returns how many ended. null: every one. */
    release(id: string | null): number {
      const ids = list.all().map(({ entry }) => entry.id);
      return list.end(id === null ? ids : ids.filter((each) => each === id));
    },
  };
}

function createHeldList(host: Host) {
  const held = new Map<string, Held>();
  const followers = createListeners();
  /** null: nothing was held yet. */
  let isClosed: boolean | null = null;
  let cancelCheck = () => {};
  let stopTokens: (() => void) | null = null;

  const end = (ids: readonly string[]): number => {
    for (const id of ids) {
      held.get(id)?.release();
      held.delete(id);
    }
    if (held.size === 0) {
      cancelCheck();
      stopTokens?.();
      stopTokens = null;
    }
    if (ids.length > 0) followers.announce();
    return ids.length;
  };
  const endOver = () => {
    const now = host.clock.now();
    end([...held].flatMap(([id, { entry, isAdmitted }]) => (entry.until * 1000 <= now || !isAdmitted() ? [id] : [])));
  };
  const check = () => {
    endOver();
    cancelCheck();
    if (held.size === 0) return;
    const first = Math.min(...[...held.values()].map(({ entry }) => entry.until)) * 1000;
    cancelCheck = host.clock.after(Math.min(checkEveryMs, Math.max(0, first - host.clock.now())), check);
  };
  const closeWithHost = () => {
    if (isClosed) throw new ServiceError('failed', 'The service is ending');
    if (isClosed === null)
      host.onClose(() => {
        isClosed = true;
        end([...held.keys()]);
      });
    isClosed = false;
  };

  return {
    all: () => [...held.values()],
    onChange: followers.add,
    /** `replaced` is not counted. */
    requirePlace(share: string, replaced: string | undefined) {
      const others = [...held.values()].filter(({ entry }) => entry.id !== replaced);
      if (others.length < mostOfAll && others.filter((each) => each.share === share).length < mostPerToken) return;
      throw new ServiceError(
        'rate_limited',
        `A token can keep the machine awake for ${mostPerToken} reasons at once, all together for ${mostOfAll}; end one with power.uninhibit`,
        { retryAfterSeconds: 60 },
      );
    },
    add(one: Held, replaced: string | undefined, onTokensChange: HoldContext['onTokensChange']) {
      closeWithHost();
      if (!one.isAdmitted()) throw new ServiceError('unauthorized', 'The token was revoked during the request');
      held.set(one.entry.id, one);
      if (replaced !== undefined) {
        held.get(replaced)?.release();
        held.delete(replaced);
      }
      stopTokens ??= onTokensChange(endOver);
      check();
      followers.announce();
    },
    end,
  };
}

const newEntry = (
  id: string,
  reason: string,
  { tokenName: token }: Caller,
  { now, seconds }: { now: number; seconds: number | null | undefined },
): KeptAwake => ({
  id,
  reason,
  token,
  since: Math.floor(now / 1000),
  until: Math.ceil(now / 1000 + (seconds ?? usualSeconds)),
});

const admission =
  ({ tokenId }: Caller, admits: HoldContext['admits']) =>
  () =>
    inhibitScopes.some((scope) => admits({ tokenId, scopes: new Set([scope]) }));
