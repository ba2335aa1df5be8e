import type { FoundSession } from '../../../host/linux/desktop/desktop-session.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { KnownCopy } from '../clipboard.content.ts';
import { createCopyLooks, type Following } from '../clipboard.source.ts';
import { lookOnce } from './clipboard.read.ts';
import { type ClipboardHost, followClipboard, NoClipboard } from './clipboard.selection.ts';

/** Tells what is on the clipboard now, and whenever that changes. */
export function followCopies(host: ClipboardHost, tell: (known: KnownCopy) => void): Following {
  const { clock, session } = host;
  let isOver = false;
  let isConnecting = false;
  let connection: { place: string; stop(): void } | null = null;
  let changedAt: number | null = null;

  const looks = createCopyLooks(
    clock,
    () => lookOnce(host),
    (seen) => {
      // Without a connection nobody would hear when it is something else.
      if (connection !== null) tell({ seen, changedAt });
    },
  );

  const changed = () => {
    // What is told while it is being connected was there before.
    if (connection === null) return;
    changedAt = clock.now();
    looks.again();
  };

  const gone = () => {
    connection = null;
    tell({ why: 'The display server of the session has ended', mendable: true });
  };

  const connect = async () => {
    if (isOver || isConnecting || connection !== null) return;
    isConnecting = true;
    try {
      const place = placeOf(await session.find());
      let hasEnded = false;
      const stop = await followClipboard(host, changed, () => {
        hasEnded = true;
        gone();
      });
      if (isOver) return stop();
      if (hasEnded) return;
      connection = { place, stop };
      changedAt = null;
      looks.again();
    } catch (error) {
      const mendable = !(error instanceof NoClipboard);
      if (!isOver) tell({ why: `The clipboard cannot be followed: ${messageOf(error)}`, mendable });
    } finally {
      isConnecting = false;
    }
  };

  /** Sockets of other desktops come and go as well. */
  const moved = async () => {
    const place = placeOf(await session.find());
    if (isOver) return;
    if (connection !== null && connection.place !== place) {
      connection.stop();
      connection = null;
    }
    await connect();
  };

  const stopWatching = session.watch(() => void moved());
  void connect();
  return {
    look: () => void connect(),
    stop() {
      isOver = true;
      stopWatching();
      looks.stop();
      connection?.stop();
      connection = null;
    },
  };
}

const placeOf = ({ wayland, x11 }: FoundSession) => JSON.stringify([wayland, x11?.socket ?? null]);
