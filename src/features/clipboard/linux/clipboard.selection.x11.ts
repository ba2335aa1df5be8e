import type { X11 } from '@hostler/x11/connection.ts';
import { followSelection } from '@hostler/x11/selection.follow.ts';
import { ownClipboardSelection } from '@hostler/x11/selection.own.ts';
import { openSelectionReader, type SelectionReader } from '@hostler/x11/selection.read.ts';
import type { X11Place } from '../../../host/linux/desktop/desktop-session.ts';
import { openDisplay } from '../../../host/linux/desktop/x11-display.ts';
import { connectQuietly } from '../../../host/linux/net/persistent-local.ts';
import { closedOnFailure } from '../../../lib/closing.ts';
import { clipboardLimits } from './clipboard.limits.ts';
import {
  type ClipboardHost,
  type ClipboardView,
  isMarkedSecret,
  knownTypes,
  NoClipboard,
} from './clipboard.selection.ts';

const timeoutMs = 2000;
/** An owner may still answer after the timeout, ms. */
const lingerMs = 30_000;
const mostLingering = 8;
const property = 'HOSTLER_CLIPBOARD';
const lingering = new Set<object>();

export async function viewOnX11(host: ClipboardHost, place: X11Place): Promise<ClipboardView> {
  const x11 = await openDisplay(host, place, timeoutMs);
  return await closedOnFailure(x11, async () => {
    let changes = 0;
    let offeredAt = 0;
    const isFollowed = await followSelection(x11, 'CLIPBOARD', () => changes++);
    const reader = await openSelectionReader(x11, host.clock, knownTypes, { ...clipboardLimits, property });
    return {
      fetch: reader.fetch,
      async offered() {
        // Events of earlier changes arrive before this answer.
        await reader.owner();
        offeredAt = changes;
        return await reader.offered();
      },
      async isSame() {
        if (!isFollowed) return !isMarkedSecret((await reader.offered()) ?? new Set());
        await reader.owner();
        return changes === offeredAt;
      },
      close: () => linger(host, reader, x11),
    };
  });
}

/** Resolves when the owner can serve the next reader, or after a timeout. */
function linger({ clock }: ClipboardHost, reader: SelectionReader, x11: X11): Promise<void> {
  const left = Promise.withResolvers<void>();
  const close = () => {
    cancel();
    cancelWait();
    lingering.delete(reader);
    x11.close();
    left.resolve();
  };
  const cancel = clock.after(lingerMs, close);
  const cancelWait = clock.after(clipboardLimits.silentMs, left.resolve);
  if (lingering.size >= mostLingering) close();
  else {
    lingering.add(reader);
    void reader.leave().then(close);
  }
  return left.promise;
}

export async function followOnX11(
  host: ClipboardHost,
  place: X11Place,
  changed: () => void,
  gone: () => void,
): Promise<() => void> {
  const x11 = await openDisplay(host, place, timeoutMs);
  return await closedOnFailure(x11, async () => {
    x11.onClosed(gone);
    if (!(await followSelection(x11, 'CLIPBOARD', changed)))
      throw new NoClipboard('this X server does not report when something is copied; it lacks the extension XFIXES');
    return x11.close;
  });
}

/** Over a connection that causes no wakeups: this process may be the owner for days. */
export async function holdOnX11(
  host: ClipboardHost,
  place: X11Place,
  contents: ReadonlyMap<string, Uint8Array>,
  lost: () => void,
): Promise<() => void> {
  const x11 = await openDisplay({ ...host, connectLocal: connectQuietly }, place, timeoutMs);
  const leave = () => {
    x11.close();
    lost();
  };
  return await closedOnFailure(x11, async () => {
    x11.onClosed(lost);
    await ownClipboardSelection(x11, host.clock, {
      contents,
      lost: leave,
      silentMs: clipboardLimits.wholeMs,
      property,
    });
    return x11.close;
  });
}
