import { ownClipboardSelection } from '../../../protocols/x11/selection.own.ts';
import { openSelectionReader } from '../../../protocols/x11/selection.read.ts';
import { connectQuietly } from '../quiet-local.ts';
import { clipboardLimits } from './clipboard.limits.ts';
import { type ClipboardHost, type ClipboardView, knownTypes } from './clipboard.ts';
import type { X11Place } from './desktop-session.ts';
import { openDisplay } from './x11-display.ts';

const timeoutMs = 2000;

export async function viewOnX11(host: ClipboardHost, place: X11Place): Promise<ClipboardView> {
  const x11 = await openDisplay(host, place, timeoutMs);
  try {
    const reader = await openSelectionReader(x11, host.clock, knownTypes, clipboardLimits);
    return { ...reader, close: x11.close };
  } catch (error) {
    x11.close();
    throw error;
  }
}

/** Over a connection that leaves the process asleep: it may be the owner for days. */
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
  try {
    x11.onClosed(lost);
    await ownClipboardSelection(x11, host.clock, { contents, lost: leave, silentMs: clipboardLimits.wholeMs });
    return x11.close;
  } catch (error) {
    x11.close();
    throw error;
  }
}
