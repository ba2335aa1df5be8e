import type { FoundSession } from '../../../host/linux/desktop/desktop-session.ts';
import { messageOf } from '../../../lib/errors.ts';
import type { KnownCopy } from '../clipboard.content.ts';
import { createCopyReader, type Following } from '../clipboard.source.ts';
import { readOnce } from './clipboard.read.ts';
import { type ClipboardHost, followClipboard, NoClipboard } from './clipboard.selection.ts';

/** Reports the content of the clipboard now and after each change. */
export function followCopies(host: ClipboardHost, report: (known: KnownCopy) => void): Following {
  const { clock, session } = host;
  let isOver = false;
  let isConnecting = false;
  let connection: { place: string; stop(): void } | null = null;
  let changedAt: number | null = null;
  /** A session without a clipboard. It is found again as the same object while the search is cached. */
  let unusable: FoundSession | null = null;

  const reader = createCopyReader(
    clock,
    () => readOnce(host),
    (seen) => {
      // Without a connection the content could be outdated.
      if (connection !== null) report({ seen, changedAt });
    },
  );

  const changed = () => {
    // Changes reported while connecting happened before.
    if (connection === null) return;
    changedAt = clock.now();
    reader.again();
  };

  const gone = () => {
    connection = null;
    report({ why: 'The display server of the session has ended', mendable: true });
  };

  const connect = async () => {
    if (isOver || isConnecting || connection !== null) return;
    isConnecting = true;
    let found: FoundSession | null = null;
    try {
      found = await session.find();
      if (found === unusable) return;
      let hasEnded = false;
      const stop = await followClipboard(host, found, changed, () => {
        hasEnded = true;
        gone();
      });
      if (isOver) return stop();
      if (hasEnded) return;
      connection = { place: placeOf(found), stop };
      changedAt = null;
      reader.again();
    } catch (error) {
      const mendable = !(error instanceof NoClipboard);
      if (!mendable) unusable = found;
      if (!isOver) report({ why: `The clipboard cannot be followed: ${messageOf(error)}`, mendable });
    } finally {
      isConnecting = false;
    }
  };

  /** Not every change of the sockets concerns this desktop. */
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
    retry: () => void connect(),
    stop() {
      isOver = true;
      stopWatching();
      reader.stop();
      connection?.stop();
      connection = null;
    },
  };
}

const placeOf = ({ wayland, x11 }: FoundSession) => JSON.stringify([wayland, x11?.socket ?? null]);
