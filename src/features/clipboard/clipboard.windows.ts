import type { CreateSource } from '../../core/module.ts';
import { whyNoInputDesktop } from '../../host/windows/desktop-access.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { type KnownCopy, mostReadBytes, type SeenCopy, seenText } from './clipboard.content.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';
import { createClipboardSource, createCopyReader, type Following } from './clipboard.source.ts';
import { clipboardLibrary } from './user32-clipboard.windows.ts';

type ClipboardMachine = Pick<WindowsHost, 'clock' | 'messages' | 'native' | 'nativeElsewhere'>;

/** The message window receives the changes. The content is read in a thread, because another program may have to render it. */
export const followedClipboardWindows: CreateSource<FollowedClipboard, WindowsHost> = (host, { withheld = false }) =>
  createClipboardSource(withheld, (report) => followWindowsCopies(host, report));

function followWindowsCopies(host: ClipboardMachine, report: (known: KnownCopy) => void): Following {
  const { clock, messages } = host;
  let isOver = false;
  let isConnecting = false;
  let stopFollowing: (() => void) | null = null;
  let changedAt: number | null = null;

  const reader = createCopyReader(
    clock,
    () => readOnWindows(host),
    (seen) => {
      // Without a subscription the content could be outdated.
      if (stopFollowing !== null) report({ seen, changedAt });
    },
  );
  const changed = () => {
    // Changes reported during the subscription happened before it.
    if (stopFollowing === null) return;
    changedAt = clock.now();
    reader.again();
  };
  const lost = () => {
    stopFollowing = null;
    // While connecting, `connect` reports the reason.
    if (!isOver && !isConnecting) report({ why: 'The messages of Windows are no longer received', mendable: true });
  };
  const connect = async () => {
    if (isOver || isConnecting || stopFollowing !== null) return;
    isConnecting = true;
    try {
      const stop = await messages.followClipboard(changed, lost);
      if (isOver) return stop();
      stopFollowing = stop;
      changedAt = null;
      reader.again();
    } catch (error) {
      if (!isOver) report({ why: `The clipboard cannot be followed: ${messageOf(error)}`, mendable: true });
    } finally {
      isConnecting = false;
    }
  };

  void connect();
  const unlocks = messages
    .follow((event) => {
      // It is not read while the screen is locked.
      if (event === 'unlock' && stopFollowing !== null) reader.again();
    })
    .catch(() => () => {});
  return {
    retry: () => void connect(),
    stop() {
      isOver = true;
      void unlocks.then((stop) => stop());
      reader.stop();
      stopFollowing?.();
      stopFollowing = null;
    },
  };
}

/** No retries: a program that does not supply the content is not asked again before the next change. */
async function readOnWindows(host: Pick<WindowsHost, 'native' | 'nativeElsewhere'>): Promise<SeenCopy> {
  try {
    const hidden = await whyNoInputDesktop(host);
    if (hidden !== null) return { kind: null, why: hidden };
    const found = await host.nativeElsewhere(clipboardLibrary).look(mostReadBytes);
    if ('problem' in found)
      return found.problem === 'busy'
        ? { kind: null, why: 'Another program keeps the clipboard open' }
        : { kind: found.problem };
    const { types, text } = found;
    if (text === undefined) return { kind: types.some((type) => type.startsWith('image/')) ? 'image' : 'other', types };
    const why = 'The program that owns the clipboard did not supply it';
    return { kind: 'text', types, text: text === null ? { why } : seenText(text.bytes, text.isCut) };
  } catch (error) {
    return { kind: null, why: `The clipboard cannot be read: ${messageOf(error)}` };
  }
}
