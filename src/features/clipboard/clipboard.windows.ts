import type { CreateSource } from '../../core/module.ts';
import type { WindowsHost } from '../../host/windows/windows-host.ts';
import { messageOf } from '../../lib/errors.ts';
import { type KnownCopy, mostReadBytes, type SeenCopy, seenText } from './clipboard.content.ts';
import type { FollowedClipboard } from './clipboard.schema.ts';
import { createClipboardSource, createCopyLooks, type Following } from './clipboard.source.ts';
import { clipboardLibrary } from './user32-clipboard.windows.ts';

type ClipboardMachine = Pick<WindowsHost, 'clock' | 'messages' | 'nativeElsewhere'>;

/** Windows tells the hidden window that is there anyway, and what was copied is read in a thread: another program may have to hand it over. */
export const followedClipboardWindows: CreateSource<FollowedClipboard, WindowsHost> = (host, { withheld = false }) =>
  createClipboardSource(withheld, (tell) => followWindowsCopies(host, tell));

function followWindowsCopies(host: ClipboardMachine, tell: (known: KnownCopy) => void): Following {
  const { clock, messages } = host;
  let isOver = false;
  let isConnecting = false;
  let stopHearing: (() => void) | null = null;
  let changedAt: number | null = null;

  const looks = createCopyLooks(
    clock,
    () => lookOnWindows(host),
    (seen) => {
      // Without that nobody would hear when it is something else.
      if (stopHearing !== null) tell({ seen, changedAt });
    },
  );
  const changed = () => {
    // What is told while it begins was there before.
    if (stopHearing === null) return;
    changedAt = clock.now();
    looks.again();
  };
  const lost = () => {
    stopHearing = null;
    // While it begins, why it does not is told.
    if (!isOver && !isConnecting) tell({ why: 'The messages of Windows are no longer received', mendable: true });
  };
  const connect = async () => {
    if (isOver || isConnecting || stopHearing !== null) return;
    isConnecting = true;
    try {
      const stop = await messages.followClipboard(changed, lost);
      if (isOver) return stop();
      stopHearing = stop;
      changedAt = null;
      looks.again();
    } catch (error) {
      if (!isOver) tell({ why: `The clipboard cannot be followed: ${messageOf(error)}`, mendable: true });
    } finally {
      isConnecting = false;
    }
  };

  void connect();
  return {
    look: () => void connect(),
    stop() {
      isOver = true;
      looks.stop();
      stopHearing?.();
      stopHearing = null;
    },
  };
}

/** Nothing of it is repeated: a program that does not hand it over is not asked again before something else is copied. */
async function lookOnWindows({ nativeElsewhere }: Pick<WindowsHost, 'nativeElsewhere'>): Promise<SeenCopy> {
  try {
    const found = await nativeElsewhere(clipboardLibrary).look(mostReadBytes);
    if ('problem' in found)
      return found.problem === 'busy'
        ? { kind: null, why: 'Another program keeps the clipboard open' }
        : { kind: found.problem };
    const { types, text } = found;
    if (text === undefined) return { kind: types.some((type) => type.startsWith('image/')) ? 'image' : 'other', types };
    const why = 'The program that owns the clipboard did not hand it over';
    return { kind: 'text', types, text: text === null ? { why } : seenText(text.bytes, text.isCut) };
  } catch (error) {
    return { kind: null, why: `The clipboard cannot be read: ${messageOf(error)}` };
  }
}
