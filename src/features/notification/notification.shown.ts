import type { ActionParts } from '../../core/action.ts';
import { type Caller, shareIdOf } from '../../core/caller.ts';
import type { Scratch } from '../../host/scratch.ts';
import { ServiceError } from '../../lib/errors.ts';

/** The notifications on the screen, limited for each token. They are closed when their token is revoked. */
export type ShownNotifications = ReturnType<typeof createShownNotifications>;

export type ShownNotification = ReturnType<typeof createShownNotification>;

export function createShownNotification(caller: Pick<Caller, 'tokenId' | 'shareId'>, scratch: Scratch) {
  const files: string[] = [];
  let size = 0;
  return {
    tokenId: caller.tokenId,
    /** Whose limits apply. */
    share: shareIdOf(caller),
    bytes: () => size,
    /** Writes one of its files; returns the path. */
    put(bytes: Uint8Array, extension: string): string {
      const file = scratch.put(bytes, extension);
      files.push(file);
      size += bytes.length;
      return file;
    },
    /** Removes its files; may be called twice. */
    release() {
      for (const file of files) scratch.remove(file);
    },
  };
}

/** Those of a service, and how it shows them. */
export function keepShown<N extends { withdraw(id: number): Promise<void>; close(): void }>(
  parts: ActionParts,
  notifications: N,
) {
  const onScreen = createShownNotifications(parts, notifications.withdraw);
  return {
    notifications,
    onScreen,
    async withdraw(id: number, tokenId: string) {
      onScreen.requireOwn(id, tokenId);
      await notifications.withdraw(id);
    },
    close() {
      onScreen.close();
      notifications.close();
    },
  };
}

/** `withdraw` takes one off the screen. */
export function createShownNotifications(
  { budgets, admits, onTokensChange, log }: Pick<ActionParts, 'budgets' | 'admits' | 'onTokensChange' | 'log'>,
  withdraw: (id: number) => Promise<void>,
) {
  const { shown: mostShown, bytes: mostBytes } = budgets.caller.notifications;
  /** The oldest first. */
  const shown = new Map<number, ShownNotification>();
  let stopFollowing: (() => void) | null = null;

  const forget = (id: number) => {
    shown.delete(id);
    if (shown.size > 0) return;
    stopFollowing?.();
    stopFollowing = null;
  };
  const end = (id: number) => {
    shown.get(id)?.release();
    forget(id);
    withdraw(id).catch((error: unknown) => log.debug(`notification: ${id} could not be closed: ${error}`));
  };
  const endRevoked = () => {
    const scopes = new Set(['notify'] as const);
    for (const [id, { tokenId }] of [...shown]) if (!admits({ tokenId, scopes })) end(id);
  };

  return {
    /** No other token than the one that sent it may close or replace it. */
    requireOwn(id: number, tokenId: string): void {
      if (shown.get(id)?.tokenId === tokenId) return;
      throw new ServiceError('not_found', `This token has no notification with the number ${id} on the screen`);
    },
    /** Replaces the one with the same id, and closes the oldest ones of the same token above its limits. */
    add(id: number, notification: ShownNotification) {
      stopFollowing ??= onTokensChange(endRevoked);
      shown.get(id)?.release();
      shown.delete(id);
      shown.set(id, notification);
      const own = [...shown].filter(([, { share }]) => share === notification.share);
      let bytes = own.reduce((sum, [, each]) => sum + each.bytes(), 0);
      for (let count = own.length; count > 1 && (count > mostShown || bytes > mostBytes); count--) {
        const [oldest, excess] = own[own.length - count] ?? [id, notification];
        bytes -= excess.bytes();
        end(oldest);
      }
      // The token may have been revoked meanwhile.
      endRevoked();
    },
    /** After it was closed; false: another one has replaced it. */
    remove(id: number, notification: ShownNotification): boolean {
      if ((shown.get(id) ?? notification) !== notification) return false;
      forget(id);
      return true;
    },
    close: () => stopFollowing?.(),
  };
}
